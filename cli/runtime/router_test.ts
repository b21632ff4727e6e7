import fc from "fast-check";
import assert from "node:assert/strict";
import { compareSegments, formatPattern, patternShape, type Segment } from "./pattern.ts";
import { createRouter, type Params } from "./router.ts";

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
    ["/users/a%00%41", "/users/:id", { id: "a%00%41" }],
    ["/users/%2500", "/users/:id", { id: "%00" }],
    ["/users/%2525", "/users/:id", { id: "%25" }],
    ["/users/%252fposts", "/users/:id", { id: "%2fposts" }],
    ["/users/%252e%252e", "/users/:id", { id: "%2e%2e" }],
    ["/docs/a/%252f", "/docs/:path*?", { path: ["a", "%2f"] }],
    ["/users/7/posts", "/users/:name/posts", { name: "7" }],
    ["/de/about", "/:lang/about", { lang: "de" }],
    ["/users/7/x/y", "/:all*", { all: ["users", "7", "x", "y"] }],
  ] as const
) {
  Deno.test(`createRouter() answers ${path} with ${pattern}`, () => {
    assert.deepEqual(find(patterns, path), [pattern, params]);
  });
}

// Tracks: PF-x19
Deno.test("createRouter() decodes what a dynamic segment holds once, whatever it is but a NUL", () => {
  const text = fc.oneof(
    fc.string({ minLength: 1, unit: "binary" }),
    // Escapes of escapes.
    fc.array(fc.constantFrom("%", "2", "5", "f", "F", "25", "%2e", "/", "+"), { minLength: 1 })
      .map((parts) => parts.join("")),
  ).filter((one) => one.isWellFormed() && !one.includes("\0"));
  fc.assert(fc.property(text, fc.array(text, { minLength: 1 }), (id, path) => {
    const encoded = path.map(encodeURIComponent).join("/");
    const found = (way: string) => createRouter([{ pattern: way }]);
    assert.deepEqual(found("/users/:id")(`/users/${encodeURIComponent(id)}`)?.params, { id });
    for (const end of ["*", "*?"]) {
      assert.deepEqual(found(`/docs/:path${end}`)(`/docs/${encoded}`)?.params, { path });
    }
  }));
});

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

Deno.test("createRouter() goes back where a more specific beginning leads nowhere", () => {
  const patterns = ["/a/b/c", "/a/:x/d", "/:y/b/:z", "/:all*"];
  assert.deepEqual(find(patterns, "/a/b/d"), ["/a/:x/d", { x: "b" }]);
  assert.deepEqual(find(patterns, "/a/b/e"), ["/:y/b/:z", { y: "a", z: "e" }]);
  assert.deepEqual(find(patterns, "/a/b"), ["/:all*", { all: ["a", "b"] }]);
});

Deno.test("createRouter() finds what the order of the routes says, whatever they are", () => {
  const segment = fc.oneof(
    fc.constantFrom<Segment>({ kind: "static", value: "a" }, { kind: "static", value: "b" }),
    fc.constant<Segment>({ kind: "param", name: "p" }),
  );
  const tail = fc.constantFrom<Segment[]>([], [{ kind: "rest", name: "r" }], [
    { kind: "optional", name: "o" },
  ]);
  const pattern = fc.tuple(fc.array(segment, { maxLength: 3 }), tail).map(([head, tail]) =>
    [...head, ...tail].map((each, index) =>
      each.kind === "static" ? each : { ...each, name: `${each.name}${index}` }
    )
  );
  const paths = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 4 });
  fc.assert(fc.property(fc.array(pattern, { maxLength: 8 }), paths, (patterns, parts) => {
    const shapes = new Map(patterns.map((each) => [patternShape(each), each]));
    const ordered = [...shapes.values()].sort(compareSegments);
    const path = `/${parts.join("/")}`;
    const match = createRouter(ordered.map((each) => ({ pattern: formatPattern(each) })))(path);
    const expected = ordered.find((each) => matchSegments(each, path) !== null);
    assert.equal(match?.route.pattern, expected && formatPattern(expected));
    if (expected) assert.deepEqual(match?.params, matchSegments(expected, path));
  }));
});

/** One pattern against one path, without a tree. */
function matchSegments(segments: readonly Segment[], pathname: string): Params | null {
  const parts = pathname === "/" ? [] : pathname.slice(1).split("/");
  const params: Params = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === "rest" || segment.kind === "optional") {
      const rest = parts.slice(index);
      if (segment.kind === "optional" && rest.length === 0) {
        return { ...params, [segment.name]: [] };
      }
      return rest.join("/") === "" ? null : { ...params, [segment.name]: rest };
    }
    const part = parts[index];
    if (part === undefined) return null;
    if (segment.kind === "static" ? part !== segment.value : part === "") return null;
    if (segment.kind === "param") params[segment.name] = part;
  }
  return parts.length === segments.length ? params : null;
}
