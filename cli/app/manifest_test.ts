import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { loadManifest } from "./manifest.ts";
import { parsePattern } from "../runtime/pattern.ts";
import type { AppScan } from "./scan.ts";

const component = (): null => null;

const scan: AppScan = {
  appDir: "/p/app",
  routes: ["/a", "/b"].map((pattern) => ({
    kind: "page",
    pattern,
    segments: parsePattern(pattern),
    file: `/p/app${pattern}/page.tsx`,
    layouts: ["/p/app/layout.tsx"],
    middleware: ["/p/app/middleware.ts"],
    errorPages: [],
    loading: pattern === "/a" ? "/p/app/a/loading.tsx" : null,
  })),
  errorPages: [
    { kind: "error", file: "/p/app/error.tsx", layouts: ["/p/app/layout.tsx"] },
  ],
  clients: [],
  queues: { mails: "/p/app/queues/mails.ts" },
  objects: ["/p/app/objects/room.ts"],
  cron: ["/p/app/cron/nightly.ts"],
  auth: {
    config: "/p/app/auth/config.ts",
    rbac: "/p/app/auth/rbac.ts",
    providers: { github: "/p/app/auth/providers/github.ts" },
  },
};

const modules: Record<string, Record<string, unknown>> = {
  "/p/app/a/page.tsx": { default: component },
  "/p/app/b/page.tsx": { default: component, loader: component },
  "/p/app/layout.tsx": { default: component },
  "/p/app/error.tsx": { default: component },
  "/p/app/queues/mails.ts": { queue: component },
  "/p/app/cron/nightly.ts": { schedule: "0 3 * * *", scheduled: component },
  "/p/app/a/loading.tsx": { default: component },
  "/p/app/middleware.ts": { middleware: component },
  "/p/app/auth/config.ts": { default: { basePath: "/in" } },
  "/p/app/auth/rbac.ts": { default: { roles: [] } },
  "/p/app/auth/providers/github.ts": { default: { id: "github" } },
};

function importFrom(
  changes: Record<string, Record<string, unknown>>,
  imported: string[] = [],
): (file: string) => Promise<Record<string, unknown>> {
  return (file) => {
    imported.push(file);
    return Promise.resolve({ ...modules, ...changes }[file]!);
  };
}

Deno.test("loadManifest() imports every file once and names it as messages do", async () => {
  const imported: string[] = [];
  const manifest = await loadManifest(scan, {
    database: "DB",
    importModule: importFrom({}, imported),
  });
  assert.deepEqual(imported.toSorted(), Object.keys(modules).toSorted());
  assert.deepEqual(manifest.auth, {
    config: { basePath: "/in" },
    rbac: { roles: [] },
    providers: { github: { id: "github" } },
  });
  assert.deepEqual(manifest.routes.map(({ pattern, file }) => [pattern, file]), [
    ["/a", "app/a/page.tsx"],
    ["/b", "app/b/page.tsx"],
  ]);
  assert.equal(manifest.routes[0]!.layouts[0], manifest.routes[1]!.layouts[0]);
  assert.deepEqual(manifest.routes.map(({ loading }) => loading?.file), [
    "app/a/loading.tsx",
    undefined,
  ]);
  assert.equal(manifest.queues?.["mails"]?.file, "app/queues/mails.ts");
  assert.equal(manifest.cron?.[0]?.file, "app/cron/nightly.ts");
  const [errorPage] = manifest.errorPages!;
  assert.deepEqual([errorPage!.kind, errorPage!.file], ["error", "app/error.tsx"]);
  assert.equal(errorPage!.layouts[0], manifest.routes[0]!.layouts[0]);
});

for (
  const [file, message] of [
    ["/p/app/a/page.tsx", /^app\/a\/page\.tsx has no default export/],
    ["/p/app/error.tsx", /^app\/error\.tsx has no default export: an error page/],
    ["/p/app/auth/config.ts", /^app\/auth\/config\.ts has no default export/],
    ["/p/app/auth/rbac.ts", /^app\/auth\/rbac\.ts has no default export/],
    ["/p/app/queues/mails.ts", /^app\/queues\/mails\.ts does not export a function named queue/],
    ["/p/app/cron/nightly.ts", /^app\/cron\/nightly\.ts does not export both schedule/],
    ["/p/app/middleware.ts", /^app\/middleware\.ts does not export/],
  ] as const
) {
  Deno.test(`loadManifest() refuses ${file} without its export`, async () => {
    const importModule = importFrom({ [file]: {} });
    await assert.rejects(
      loadManifest(scan, { database: "DB", importModule }),
      (error: unknown) => {
        assert.ok(error instanceof CliError);
        assert.equal(error.exitCode, 2);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}
