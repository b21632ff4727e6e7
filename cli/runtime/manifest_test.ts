import assert from "node:assert/strict";
import { type AppManifest, checkManifest, type ManifestRoute, missingExport } from "./manifest.ts";

function manifest(route: Partial<ManifestRoute>): AppManifest {
  return {
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      kind: "page",
      pattern: "/",
      file: "app/page.tsx",
      module: { default: () => null },
      layouts: [],
      middleware: [],
      ...route,
    }],
  };
}

Deno.test("missingExport() says what each kind of file must export", () => {
  assert.match(missingExport("page", ["loader"])!, /default export/);
  assert.match(missingExport("layout", [])!, /default export/);
  assert.match(missingExport("route", ["get", "default"])!, /exports no method/);
  assert.match(missingExport("middleware", ["default"])!, /named middleware/);
  assert.equal(missingExport("page", ["default"]), null);
  assert.equal(missingExport("route", ["PATCH"]), null);
  assert.equal(missingExport("middleware", ["middleware"]), null);
});

for (
  const [what, route, message] of [
    ["a page without a component", { module: {} }, /^app\/page\.tsx has no default export/],
    ["a loader that is no function", {
      module: { default: () => null, loader: {} },
    }, /app\/page\.tsx exports loader, which is not a function/],
    ["a page whose headers are a list", {
      module: { default: () => null, headers: ["x"] },
    }, /app\/page\.tsx exports headers, which is neither/],
    [
      "a limit of bodies without a unit",
      {
        module: { default: () => null, bodyLimit: "50" },
      },
      /^app\/page\.tsx exports the bodyLimit "50": write a text like "500 KB", "50 MB" or "1 GB"\.$/,
    ],
    ["a limit of bodies that is a number", {
      module: { default: () => null, bodyLimit: 50 },
    }, /^app\/page\.tsx exports the bodyLimit 50: write/],
    ["a layout without a component", {
      layouts: [{ file: "app/layout.tsx", module: {} }],
    }, /^app\/layout\.tsx has no default export/],
    ["an error page without a component", {
      errorPages: [{ kind: "error", file: "app/error.tsx", module: {}, layouts: [] }],
    }, /^app\/error\.tsx has no default export: an error page is a component/],
    ["a middleware without its function", {
      middleware: [{ file: "app/middleware.ts", module: { default: () => null } }],
    }, /^app\/middleware\.ts does not export/],
    ["a route without a method", {
      kind: "route",
      file: "app/a/route.ts",
      module: { get: () => null },
    }, /^app\/a\/route\.ts exports no method/],
  ] as const
) {
  Deno.test(`checkManifest() names the file of ${what}`, () => {
    assert.throws(() => checkManifest(manifest(route as Partial<ManifestRoute>)), {
      name: "TypeError",
      message,
    });
  });
}

Deno.test("checkManifest() accepts a complete application", () => {
  checkManifest(manifest({}));
});
