import fc from "fast-check";
import assert from "node:assert/strict";
import { compareSegments, parsePattern, patternShape } from "../project/pattern.ts";
import { createRouter } from "../runtime/router.ts";
import { matchSegments, whyFirst } from "./match_path.ts";

const part = fc.constantFrom("a", "b", "new", "ü", "a.b", ":x", ":y", ":id");
const last = fc.constantFrom("", ":rest*", ":rest*?");
const pattern = fc.tuple(fc.uniqueArray(part, { maxLength: 3 }), last)
  .map(([parts, end]) => "/" + [...parts, ...(end === "" ? [] : [end])].join("/"));
const path = fc.array(fc.constantFrom("a", "b", "new", "%C3%BC", "a.b", "", "1", "%", "%2F"), {
  maxLength: 4,
}).map((parts) => "/" + parts.join("/"));

Deno.test("matchSegments() finds the route and the parameters that the built application finds", () => {
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 6 }), path, (patterns, pathname) => {
      const shapes = new Map(
        patterns.map((text) => [patternShape(parsePattern(text)), parsePattern(text)]),
      );
      const routes = [...shapes.values()].sort(compareSegments)
        .map((segments) => ({
          segments,
          pattern: "/" +
            segments.map((segment) =>
              segment.kind === "static"
                ? segment.value
                : `:${segment.name}${{ param: "", rest: "*", optional: "*?" }[segment.kind]}`
            ).join("/"),
        }));
      const expected = createRouter(routes)(pathname);
      const found = routes.map((route) => ({
        route,
        params: matchSegments(route.segments, pathname),
      })).find(({ params }) => params !== null) ?? null;
      assert.deepEqual(
        found,
        expected && { route: expected.route, params: { ...expected.params } },
      );
    }),
    { numRuns: 2000 },
  );
});

Deno.test.each([
  ["/users/new", "/users/:id", 'part 2 of the path: "new" comes before the parameter :id'],
  ["/:id", "/:rest*", "part 1 of the path: the parameter :id comes before the catch-all :rest*"],
  ["/a", "/a/:x*?", "part 2 of the path: the end comes before the optional catch-all :x*?"],
])("whyFirst() of %s and %s names the part that decides", (winner, other, reason) => {
  assert.equal(whyFirst(parsePattern(winner), parsePattern(other)), reason);
});
