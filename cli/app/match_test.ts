import fc from "fast-check";
import assert from "node:assert/strict";
import { compareSegments, formatPattern, parsePattern, patternShape } from "../runtime/pattern.ts";
import { createApplication } from "../runtime/application.ts";
import { explainMatch, whyFirst } from "./match.ts";
import type { ListedRoute } from "./routes.ts";

const part = fc.constantFrom("a", "b", "new", "ü", "a.b", ":x", ":y", ":id");
const last = fc.constantFrom("", ":rest*", ":rest*?");
const pattern = fc.tuple(fc.uniqueArray(part, { maxLength: 3 }), last)
  .map(([parts, end]) => "/" + [...parts, ...(end === "" ? [] : [end])].join("/"));
const path = fc.array(fc.constantFrom("a", "b", "new", "%C3%BC", "a.b", "", "1", "%", "%2F"), {
  maxLength: 4,
}).map((parts) => "/" + parts.join("/"));

Deno.test("explainMatch() finds the route, the parameters and the redirect of the application", async () => {
  const patterns = fc.array(pattern, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(patterns, path, async (patterns, pathname) => {
      const shapes = new Map(
        patterns.map((text) => [patternShape(parsePattern(text)), parsePattern(text)]),
      );
      const routes = [...shapes.values()].sort(compareSegments)
        .map((segments) => ({ segments, pattern: formatPattern(segments) }));
      const { worker } = createApplication({
        database: "DB",
        dev: false,
        auth: null,
        routes: routes.map(({ pattern }) => ({
          kind: "route",
          pattern,
          file: "app/route.ts",
          module: { GET: (_: Request, { params }: { params: object }) => ({ pattern, params }) },
          layouts: [],
          middleware: [],
        })),
      });
      const { redirect, route } = explainMatch(routes as ListedRoute[], pathname);
      const asked = await worker.fetch(new Request(`http://localhost${pathname}`), {});
      const location = asked.headers.get("location");
      assert.equal(redirect, location && new URL(location).pathname);
      const answer = location ? await worker.fetch(new Request(location), {}) : asked;
      assert.equal(answer.status, route === null ? 404 : 200);
      if (route !== null) {
        assert.deepEqual(await answer.json(), { pattern: route.pattern, params: route.values });
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("explainMatch() names every route that matches, in the order in which they would answer", () => {
  const patterns = ["/a/new", "/a/:id", "/:x/new", "/a/:rest*", "/b/:id", "/:all*?"];
  const routes = patterns.map((pattern) => ({ pattern, segments: parsePattern(pattern) }));
  const { route, later } = explainMatch(routes as ListedRoute[], "/a/new");
  assert.deepEqual([route?.pattern, ...later.map((each) => each.route.pattern)], [
    "/a/new",
    "/a/:id",
    "/a/:rest*",
    "/:x/new",
    "/:all*?",
  ]);
});

Deno.test("explainMatch() follows the redirect of a path that a catch-all answers too", () => {
  const routes = [{ pattern: "/docs/:path*", segments: parsePattern("/docs/:path*") }];
  const { redirect, route } = explainMatch(routes as ListedRoute[], "/docs/a/");
  assert.deepEqual([redirect, route?.values], ["/docs/a", { path: ["a"] }]);
});

Deno.test.each([
  ["/users/new", "/users/:id", 'part 2 of the path: "new" comes before the parameter :id'],
  ["/:id", "/:rest*", "part 1 of the path: the parameter :id comes before the catch-all :rest*"],
  ["/a", "/a/:x*?", "part 2 of the path: the end comes before the optional catch-all :x*?"],
])("whyFirst() of %s and %s names the part that decides", (winner, other, reason) => {
  assert.equal(whyFirst(parsePattern(winner), parsePattern(other)), reason);
});
