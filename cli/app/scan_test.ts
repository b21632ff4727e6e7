import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { type AppScan, scanApp } from "./scan.ts";

async function withApp(
  files: string[],
  test: (appDir: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "scan-"));
  const appDir = join(root, "app");
  try {
    await mkdir(appDir);
    for (const file of files) {
      await mkdir(dirname(join(appDir, file)), { recursive: true });
      await writeFile(join(appDir, file), "");
    }
    await test(appDir);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function lines({ routes, appDir }: AppScan): string[] {
  return routes.map((route) => `${route.pattern} ${relative(appDir, route.file)}`);
}

async function rejection(appDir: string): Promise<CliError> {
  const error = await scanApp(appDir).then(() => null, (error: unknown) => error);
  assert.ok(error instanceof CliError);
  assert.equal(error.exitCode, 2);
  return error;
}

Deno.test("scanApp() lists pages and routes in match order across folders", () =>
  withApp([
    "[...all]/page.tsx",
    "[lang]/about/page.tsx",
    "(site)/about/page.tsx",
    "api/users/[id]/route.ts",
    "api/users/new/route.ts",
    "api/[...rest]/route.ts",
    "docs/[[...path]]/page.tsx",
    ".well-known/security/route.ts",
    "page.tsx",
  ], async (appDir) => {
    assert.deepEqual(lines(await scanApp(appDir)), [
      "/ page.tsx",
      "/.well-known/security .well-known/security/route.ts",
      "/about (site)/about/page.tsx",
      "/api/users/new api/users/new/route.ts",
      "/api/users/:id api/users/[id]/route.ts",
      "/api/:rest* api/[...rest]/route.ts",
      "/docs/:path*? docs/[[...path]]/page.tsx",
      "/:lang/about [lang]/about/page.tsx",
      "/:all* [...all]/page.tsx",
    ]);
  }));

Deno.test("scanApp() collects layouts and middleware outermost first, through groups", () =>
  withApp([
    "layout.tsx",
    "middleware.ts",
    "(admin)/layout.tsx",
    "(admin)/users/middleware.ts",
    "(admin)/users/page.tsx",
    "(admin)/users/export/route.ts",
  ], async (appDir) => {
    const { routes } = await scanApp(appDir);
    const [page, route] = routes;
    const own = (files: string[]): string[] => files.map((file) => relative(appDir, file));
    assert.deepEqual(own(page!.layouts), ["layout.tsx", "(admin)/layout.tsx"]);
    assert.deepEqual(own(page!.middleware), ["middleware.ts", "(admin)/users/middleware.ts"]);
    assert.equal(route!.kind, "route");
    assert.deepEqual(route!.layouts, []);
    assert.deepEqual(own(route!.middleware), own(page!.middleware));
  }));

Deno.test("scanApp() collects error pages nearest first, each with the layouts of its own folder", () =>
  withApp([
    "layout.tsx",
    "not-found.tsx",
    "error.tsx",
    "(admin)/layout.tsx",
    "(admin)/forbidden.tsx",
    "(admin)/users/layout.tsx",
    "(admin)/users/error.tsx",
    "(admin)/users/page.tsx",
    "(admin)/users/export/route.ts",
  ], async (appDir) => {
    const { routes, errorPages } = await scanApp(appDir);
    const own = (pages: typeof errorPages): string[] =>
      pages.map(({ file, layouts }) =>
        [file, ...layouts].map((path) => relative(appDir, path)).join(" ")
      );
    const outermost = ["error.tsx layout.tsx", "not-found.tsx layout.tsx"];
    assert.deepEqual(own(errorPages), outermost);
    for (const route of routes) {
      assert.deepEqual(own(route.errorPages), [
        "(admin)/users/error.tsx layout.tsx (admin)/layout.tsx (admin)/users/layout.tsx",
        "(admin)/forbidden.tsx layout.tsx (admin)/layout.tsx",
        ...outermost,
      ]);
    }
  }));

Deno.test("scanApp() gives a page the nearest loading.tsx", () =>
  withApp([
    "loading.tsx",
    "page.tsx",
    "shop/loading.tsx",
    "shop/cart/page.tsx",
    "shop/export/route.ts",
  ], async (appDir) => {
    const { routes } = await scanApp(appDir);
    const nearest = routes.map(({ loading }) => loading && relative(appDir, loading));
    assert.deepEqual(nearest, ["loading.tsx", "shop/loading.tsx", null]);
  }));

Deno.test("scanApp() finds queues, durable objects and cron jobs, and routes beside them", () =>
  withApp([
    "queues/mails.ts",
    "queues/mails_test.ts",
    "queues/_template.ts",
    "queues/page.tsx",
    "queues/failed/page.tsx",
    "objects/room.ts",
    "objects/route.ts",
    "cron/nightly.ts",
    "shop/queues/mails.ts",
  ], async (appDir) => {
    const scan = await scanApp(appDir);
    assert.deepEqual(scan.queues, { mails: join(appDir, "queues/mails.ts") });
    assert.deepEqual(scan.objects, [join(appDir, "objects/room.ts")]);
    assert.deepEqual(scan.cron, [join(appDir, "cron/nightly.ts")]);
    assert.deepEqual(lines(scan), [
      "/objects objects/route.ts",
      "/queues queues/page.tsx",
      "/queues/failed queues/failed/page.tsx",
    ]);
  }));

Deno.test("scanApp() leaves private folders, node_modules and other files out", () =>
  withApp([
    "page.tsx",
    "page_test.tsx",
    "error.ts",
    "_components/page.tsx",
    "_components/layout.js",
    "node_modules/x/page.tsx",
    "users/users_table.tsx",
  ], async (appDir) => {
    assert.deepEqual(lines(await scanApp(appDir)), ["/ page.tsx"]);
  }));

Deno.test("scanApp() finds what runs in the browser by its first line, in private folders whatever its name", () =>
  withApp([], async (appDir) => {
    const write = async (file: string, text: string): Promise<void> => {
      await mkdir(dirname(join(appDir, file)), { recursive: true });
      await writeFile(join(appDir, file), text);
    };
    for (
      const file of [
        "page.tsx",
        "button.tsx",
        "button_test.tsx",
        "_components/page.tsx",
        "_components/inner/loading.tsx",
        "notes/_parts/error.tsx",
      ]
    ) await write(file, '"use client";\n');
    await write("_components/server.tsx", "export {};\n");
    const { clients } = await scanApp(appDir);
    assert.deepEqual(clients.map((path) => relative(appDir, path)), [
      "_components/inner/loading.tsx",
      "_components/page.tsx",
      "button.tsx",
      "notes/_parts/error.tsx",
    ]);
  }));

Deno.test("scanApp() finds the authentication's files, and pages beside them", () =>
  withApp([
    "auth/config.ts",
    "auth/callbacks.ts",
    "auth/events.ts",
    "auth/rbac.ts",
    "auth/tenant.ts",
    "auth/rbac_test.ts",
    "auth/providers/github.ts",
    "auth/providers/credentials.ts",
    "auth/providers/credentials_test.ts",
    "auth/providers/_shared.ts",
    "auth/signin/page.tsx",
    "shop/auth/config.ts",
    "shop/auth/rbac.ts",
  ], async (appDir) => {
    const scan = await scanApp(appDir);
    const { providers: _, ...files } = scan.auth;
    assert.deepEqual(
      files,
      Object.fromEntries(
        ["config", "callbacks", "events", "rbac", "tenant"].map((
          part,
        ) => [part, join(appDir, `auth/${part}.ts`)]),
      ),
    );
    assert.deepEqual(Object.entries(scan.auth.providers), [
      ["credentials", join(appDir, "auth/providers/credentials.ts")],
      ["github", join(appDir, "auth/providers/github.ts")],
    ]);
    assert.deepEqual(lines(scan), ["/auth/signin auth/signin/page.tsx"]);
  }));

for (
  const [files, pattern] of [
    [["a/page.tsx", "a/route.ts"], "/a"],
    [["(x)/a/page.tsx", "(y)/a/route.ts"], "/a"],
    [["u/[id]/page.tsx", "u/[slug]/page.tsx"], "/u/:"],
    [["d/[...a]/page.tsx", "d/[[...b]]/page.tsx"], "/d/:"],
  ] as const
) {
  Deno.test(`scanApp() refuses ${files.join(" beside ")}, naming both`, () =>
    withApp([...files], async (appDir) => {
      const { message } = await rejection(appDir);
      for (const file of files) assert.ok(message.includes(`app/${file}`), message);
      assert.ok(message.includes(`both answer ${pattern}`), message);
    }));
}

for (
  const file of [
    "page.js",
    "page.ts",
    "a/layout.jsx",
    "a/route.tsx",
    "middleware.js",
    "template.tsx",
    "a/error.jsx",
    "a/loading.jsx",
    "a/global-error.tsx",
    "@modal/page.tsx",
    "(.)photo/page.tsx",
    "auth/config.tsx",
    "auth/rbac.js",
    "auth/tenant.js",
  ]
) {
  Deno.test(`scanApp() refuses ${file} instead of ignoring it`, () =>
    withApp(["page.tsx", file], async (appDir) => {
      const { message } = await rejection(appDir);
      assert.ok(message.startsWith(`app/${file.replace("/page.tsx", "")} `), message);
    }));
}

Deno.test("scanApp() tells every problem, in the same order each time", () =>
  withApp(["b/page.js", "a/template.tsx", "c/[x/page.tsx"], async (appDir) => {
    const { message } = await rejection(appDir);
    assert.deepEqual(message.split("\n").map((line) => line.split(" ")[0]), [
      "app/a/template.tsx",
      "app/b/page.js",
      "app/c/[x",
    ]);
  }));

Deno.test("scanApp() follows a link to a folder once, and refuses a loop", () =>
  withApp(["page.tsx", "shop/page.tsx"], async (appDir) => {
    await mkdir(join(appDir, "../shared/news"), { recursive: true });
    await writeFile(join(appDir, "../shared/news/page.tsx"), "");
    await symlink("../shared", join(appDir, "linked"));
    assert.deepEqual(lines(await scanApp(appDir)), [
      "/ page.tsx",
      "/linked/news linked/news/page.tsx",
      "/shop shop/page.tsx",
    ]);
    await symlink("..", join(appDir, "shop/loop"));
    assert.match((await rejection(appDir)).message, /app\/shop\/loop is a symbolic link/);
  }));

Deno.test("scanApp() ignores a link that leads nowhere", () =>
  withApp(["page.tsx"], async (appDir) => {
    await symlink("nowhere", join(appDir, "gone"));
    assert.deepEqual(lines(await scanApp(appDir)), ["/ page.tsx"]);
  }));

Deno.test("scanApp() says what to do without an application folder", async () => {
  const { message, hint } = await rejection(join(tmpdir(), "no-such-application", "app"));
  assert.match(message, /application folder .* does not exist/);
  assert.match(hint!, /appDir/);
});
