import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allowedMethods } from "../runtime/methods.ts";
import { framework, platformFile, withProject } from "../../tests/support/command_line.ts";

const page = "export default function Page() { return null; }\n";
const application = {
  "app/layout.tsx": page,
  "app/page.tsx": page,
  "app/users/middleware.ts": "export const middleware = 1;\n",
  "app/users/[id]/page.tsx": `${page}export const action = () => null;\n`,
  "app/users/new/page.tsx": page,
  "app/api/users/route.ts": "export const POST = 1, GET = 2;\nexport const session = false;\n",
  "app/docs/[...path]/page.tsx": page,
  "app/(group)/files/[[...path]]/page.tsx": page,
};

Deno.test("routes prints method, pattern and file in match order", () =>
  withProject(application, async (root) => {
    assert.deepEqual(await framework(root, "routes"), {
      code: 0,
      stdout: [
        "GET     /               app/page.tsx",
        "GET     /api/users      app/api/users/route.ts",
        "POST    /api/users      app/api/users/route.ts",
        "GET     /docs/:path*    app/docs/[...path]/page.tsx",
        "GET     /files/:path*?  app/(group)/files/[[...path]]/page.tsx",
        "GET     /users/new      app/users/new/page.tsx",
        "GET     /users/:id      app/users/[id]/page.tsx",
        "POST    /users/:id      app/users/[id]/page.tsx",
        "PUT     /users/:id      app/users/[id]/page.tsx",
        "PATCH   /users/:id      app/users/[id]/page.tsx",
        "DELETE  /users/:id      app/users/[id]/page.tsx",
        "",
      ].join("\n"),
      stderr: "",
    });
  }));

Deno.test("routes lists what the application answers, but for HEAD and OPTIONS, which every route answers", () =>
  withProject(application, async (root) => {
    const { stdout } = await framework(root, "routes", "--json");
    const rows = JSON.parse(stdout) as { method: string; file: string }[];
    const listed = (file: string): string[] =>
      rows.filter((row) => row.file === file).map(({ method }) => method);
    const answered = (kind: "page" | "route", module: Record<string, unknown>): string[] =>
      allowedMethods({ kind, module }).filter((name) => name !== "HEAD" && name !== "OPTIONS");
    const page = { default: 1 };
    assert.deepEqual(listed("app/page.tsx"), answered("page", page));
    assert.deepEqual(listed("app/users/[id]/page.tsx"), answered("page", { ...page, action: 1 }));
    assert.deepEqual(listed("app/api/users/route.ts"), answered("route", { POST: 1, GET: 1 }));
  }));

Deno.test("routes --json prints one entry for each method, and nothing else on stdout", () =>
  withProject(application, async (root) => {
    const { code, stdout, stderr } = await framework(root, "routes", "--json");
    assert.deepEqual([code, stderr], [0, ""]);
    const rows = JSON.parse(stdout);
    assert.equal(rows.length, 11);
    assert.deepEqual(rows.at(-1), {
      method: "DELETE",
      pattern: "/users/:id",
      file: "app/users/[id]/page.tsx",
      kind: "page",
      params: ["id"],
      layouts: ["app/layout.tsx"],
      middleware: ["app/users/middleware.ts"],
    });
  }));

Deno.test("routes --verbose adds layouts and middleware", () =>
  withProject(application, async (root) => {
    const { stdout } = await framework(root, "routes", "--verbose");
    assert.ok(stdout.includes(
      "GET     /users/new      app/users/new/page.tsx\n" +
        "          layouts     app/layout.tsx\n" +
        "          middleware  app/users/middleware.ts\n",
    ));
  }));

Deno.test("routes --verbose shows limits of bodies, and routes warns of what is none", () => {
  const files = {
    "wrangler.json": platformFile,
    "app/files/route.ts": 'export const bodyLimit: BodyLimit = "50 MB";\nexport function POST() {}',
    "app/made/route.ts": "export const bodyLimit = limits.large;\nexport function POST() {}",
    "app/page.tsx": 'export const bodyLimit = "1 TB";\nexport default () => null;',
  };
  return withProject(files, async (root) => {
    const { stdout, stderr } = await framework(root, "routes", "--verbose");
    assert.ok(stdout.includes("POST  /files  app/files/route.ts\n        body limit  50 MB\n"));
    assert.match(stderr, /app\/page\.tsx exports the bodyLimit "1 TB": write a text like/);
    assert.match(stderr, /app\/made\/route\.ts exports a bodyLimit that cannot be read without/);
  });
});

Deno.test("routes --match says which route answers, with what, and which comes later", () =>
  withProject(application, async (root) => {
    assert.deepEqual(await framework(root, "routes", "--match", "/users/new?tab=1"), {
      code: 0,
      stdout: [
        "/users/new is answered by app/users/new/page.tsx (GET).",
        "  pattern     /users/new",
        "  layouts     app/layout.tsx",
        "  middleware  app/users/middleware.ts",
        '  before      /users/:id (app/users/[id]/page.tsx), at part 2 of the path: "new" comes ' +
        "before the parameter :id",
        "",
      ].join("\n"),
      stderr: "",
    });
    const docs = await framework(
      root,
      "routes",
      "--match",
      "https://a.example/docs/a/b%20c",
      "--json",
    );
    const { path, route, later } = JSON.parse(docs.stdout);
    assert.equal(path, "/docs/a/b%20c");
    assert.deepEqual(route.params, { path: ["a", "b c"] });
    assert.deepEqual(later, []);
  }));

Deno.test("routes --match tells redirects, static files and paths that nothing answers", () =>
  withProject(
    { ...application, "public/users/new": "file", "public/about.html": "" },
    async (root) => {
      const slash = await framework(root, "routes", "--match", "/users/7/");
      assert.match(
        slash.stdout,
        /^\/users\/7\/ is redirected to \/users\/7, .*\n\/users\/7 is answered by app\/users\/\[id\]/,
      );
      const file = await framework(root, "routes", "--match", "/users/new");
      assert.match(
        file.stdout,
        /^\/users\/new is answered by public\/users\/new: static files take/,
      );
      const html = await framework(root, "routes", "--match", "/about", "--json");
      assert.equal(JSON.parse(html.stdout).staticFile, "public/about.html");
      const outside = await framework(root, "routes", "--match", "/..%2f..%2fwrangler.jsonc");
      assert.deepEqual([outside.code, outside.stdout], [
        1,
        "No route answers /..%2f..%2fwrangler.jsonc.\n",
      ]);
      const wrong = await framework(root, "routes", "--match", "http://[", "--json");
      assert.equal(wrong.code, 1);
      assert.equal(JSON.parse(wrong.stdout).error.message, '"http://[" is not a path.');
    },
  ));

Deno.test("routes --match follows run_worker_first of the platform's file", () =>
  withProject({
    ...application,
    "public/users/new": "file",
    "wrangler.jsonc": platformFile.replace("{", '{"assets":{"run_worker_first":true},'),
  }, async (root) => {
    const { stdout } = await framework(root, "routes", "--match", "/users/new");
    assert.match(stdout, /^\/users\/new is answered by app\/users\/new\/page\.tsx/);
  }));

Deno.test("routes warns about files that the build would refuse or whose methods it cannot tell", () =>
  withProject({
    "app/a/route.ts": "export * from './handlers.ts';",
    "app/b/route.ts": "export const get = 1;",
  }, async (root) => {
    const { code, stdout, stderr } = await framework(root, "routes");
    assert.equal(code, 0);
    assert.equal(stdout, "?  /a  app/a/route.ts\n");
    assert.match(stderr, /^warning: app\/a\/route\.ts: the methods cannot be determined/);
    assert.match(stderr, /\nwarning: app\/b\/route\.ts exports no method: a route exports GET,/);
    assert.equal(JSON.parse((await framework(root, "routes", "--json")).stdout)[0].method, null);
  }));

Deno.test("routes of no application is exit 2, of an empty one a warning", async () => {
  await withProject({}, async (root) => {
    assert.equal((await framework(root, "routes")).code, 2);
  });
  await withProject({ "app/readme.md": "" }, async (root) => {
    assert.deepEqual(await framework(root, "routes"), {
      code: 0,
      stdout: "",
      stderr: "warning: There are no routes in app/.\n",
    });
  });
});

// Tracks: F45
Deno.test("routes lists two thousand routes in match order", () =>
  withProject({}, async (root) => {
    const count = 2_000;
    for (let index = 0; index < count; index++) {
      const folder = join(root, "app", `r${index % 100}`, `s${index}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "route.ts"), "\ufeffexport const GET = 1;\r\n");
    }
    const { code, stdout } = await framework(root, "routes");
    assert.equal(code, 0);
    const patterns = stdout.trimEnd().split("\n").map((line) => line.split(/ +/)[1]);
    assert.equal(patterns.length, count);
    assert.deepEqual(patterns, [...patterns].sort());
  }));

// Tracks: F45
Deno.test("routes answers hostile names and links with a message that moves no cursor", () =>
  withProject({ "app/page.tsx": page }, async (root) => {
    symlinkSync(root, join(root, "app", "loop"));
    const loop = await framework(root, "routes");
    assert.equal(loop.code, 2);
    assert.match(loop.stderr, /^error: .*symbolic link/);
    mkdirSync(join(root, "app", "\x1b[2Jx"));
    writeFileSync(join(root, "app", "\x1b[2Jx", "page.tsx"), page);
    const weird = await framework(root, "routes");
    assert.equal(weird.code, 2);
    assert.equal(weird.stderr.includes("\x1b"), false);
  }));
