import assert from "node:assert/strict";
import { formatPackages, formatRoutes, type RouteShare } from "./analysis.ts";

function route(pattern: string, rest: Partial<RouteShare> = {}): RouteShare {
  return {
    kind: "page",
    pattern,
    bytes: 20_000,
    gzipBytes: 5000,
    ownBytes: 300,
    browserGzipBytes: 0,
    ...rest,
  };
}

Deno.test("formatRoutes() aligns the sizes, and tells what a browser loads for pages alone", () => {
  const routes = [
    route("/", { browserGzipBytes: 3456 }),
    route("/api/users", { kind: "route", bytes: 999, gzipBytes: 250 }),
  ];
  assert.deepEqual(formatRoutes({ routes }).split("\n"), [
    "route       with imports     gzip  only for it  browser, gzip",
    "/                20.0 kB  ~5.0 kB        300 B         3.5 kB",
    "/api/users         999 B   ~250 B        300 B",
  ]);
});

Deno.test("formatRoutes() says how many routes it leaves out", () => {
  const routes = Array.from({ length: 23 }, (_, index) => route(`/${index}`));
  const lines = formatRoutes({ routes }).split("\n");
  assert.equal(lines.length, 22);
  assert.equal(lines.at(-1), "and 3 more; --analyze lists all");
});

Deno.test("formatPackages() lets no control character through", () => {
  assert.deepEqual(formatPackages({ packages: [{ name: "a\x1b[2J", bytes: 12 }] }).split("\n"), [
    "package  in the worker",
    "a\ufffd[2J             12 B",
  ]);
});
