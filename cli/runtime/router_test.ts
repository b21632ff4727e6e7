import assert from "node:assert/strict";
import { createRouter } from "./router.ts";

function find(patterns: string[], path: string): [string, Record<string, unknown>] | null {
  const match = createRouter(patterns.map((pattern) => ({ pattern })))(path);
  return match && [match.route.pattern, match.params];
}

const patterns = [
  "/",
  "/api/me",
  "/a.b",
  "/café",
  "/docs/:path*?",
  "/users/new",
  "/users/:id",
  "/users/:name/posts",
  "/:lang/about",
  "/:all*",
];

for (
  const [path, pattern, params] of [
    ["/", "/", {}],
    ["/api/me", "/api/me", {}],
    ["/a.b", "/a.b", {}],
    ["/aXb", "/:all*", { all: ["aXb"] }],
    ["/caf%C3%A9", "/café", {}],
    ["/docs", "/docs/:path*?", { path: [] }],
    ["/docs/a/b%2Fc", "/docs/:path*?", { path: ["a", "b/c"] }],
    ["/users/new", "/users/new", {}],
    ["/users/7", "/users/:id", { id: "7" }],
    ["/users/a%20b", "/users/:id", { id: "a b" }],
    ["/users/%E0%A4%A", "/users/:id", { id: "%E0%A4%A" }],
    ["/users/7/posts", "/users/:name/posts", { name: "7" }],
    ["/de/about", "/:lang/about", { lang: "de" }],
    ["/users/7/x/y", "/:all*", { all: ["users", "7", "x", "y"] }],
  ] as const
) {
  Deno.test(`createRouter() answers ${path} with ${pattern}`, () => {
    assert.deepEqual(find(patterns, path), [pattern, params]);
  });
}

Deno.test("createRouter() finds nothing for a path that no pattern covers", () => {
  assert.equal(find(["/", "/users/:id"], "/users"), null);
  assert.equal(find(["/", "/users/:id"], "/users/7/x"), null);
  assert.equal(find([], "/"), null);
});

Deno.test("createRouter() gives the same answers with one pattern as with a thousand", () => {
  const many = Array.from({ length: 1000 }, (_, index) => `/section${index}/:id`);
  assert.deepEqual(find(many, "/section999/7"), ["/section999/:id", { id: "7" }]);
  assert.deepEqual(find(["/section999/:id"], "/section999/7"), ["/section999/:id", { id: "7" }]);
});
