import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { framework, type Transcript } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import type { FixtureApp } from "./fixture_app.ts";
import { processesIn, runFramework, startFramework, stepsInOrder, until } from "./framework.ts";
import { createPackedApp } from "./packed_app.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const files = {
  "app/layout.tsx": `import type { LayoutProps } from "@framework/cli/runtime";
export default function Layout({ children }: LayoutProps) {
  return <html><head></head><body>{children}</body></html>;
}`,
  "app/page.tsx": `import { getUser } from "@framework/auth";
export const metadata = { title: "Home" };
export default function Home() {
  return <p>Hello {getUser()?.name ?? "stranger"}</p>;
}`,
  "app/users/page.tsx": `import type { LoaderArgs, PageProps } from "@framework/cli/runtime";
export async function loader({ context }: LoaderArgs) {
  return { users: await context.db.selectFrom("users").select("name").execute() };
}
export default function Users({ data }: PageProps<"/users">) {
  return <ul>{data.users.map(({ name }) => <li>{name}</li>)}</ul>;
}`,
  "app/api/[...path]/route.ts": `export const GET = (_request, { params, env }) => ({
  path: params.path, variable: env.GREETING, node: typeof Buffer,
});`,
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig({ session: { strategy: "database" } });`,
  "app/auth/providers/credentials.ts": `import { credentials } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(credentials({
  credentials: { pin: { label: "PIN", type: "password", required: true } },
  authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
}));`,
  "public/styles.css": "body { margin: 0 }",
  "public/.env": "SECRET=1",
};

/** An application for tests that ask nothing of what is built. */
const small = { "app/page.tsx": "export default () => <p>home</p>;" };

/** Runs what a build wrote, with nothing but what it wrote. */
async function runBuilt(app: FixtureApp): Promise<Miniflare> {
  const platform = JSON.parse(await Deno.readTextFile(join(app.root, "dist/wrangler.json")));
  return new Miniflare({
    cf: false,
    handleStructuredLogs: () => {},
    workers: [{
      name: platform.name,
      modules: [{ type: "ESModule", path: join(app.root, "dist", platform.main) }],
      modulesRoot: join(app.root, "dist"),
      compatibilityDate: platform["compatibility_date"],
      compatibilityFlags: platform["compatibility_flags"],
      d1Databases: ["DB"],
      bindings: { GREETING: "hi" },
      assets: {
        directory: join(app.root, "dist", platform.assets.directory),
        routerConfig: { "has_user_worker": true },
      },
    }],
  });
}

/** Runs what the build wrote, and uses it as a browser does. */
async function assertRuns(app: FixtureApp): Promise<void> {
  const miniflare = await runBuilt(app);
  try {
    const database = await miniflare.getD1Database("DB");
    for (const statement of authSchema.up.split(/;\s*$/m)) {
      if (statement.trim() !== "") await database.prepare(statement).run();
    }
    const origin = (await miniflare.ready).origin;
    const fetch = (path: string, init?: RequestInit): Promise<Response> =>
      globalThis.fetch(new URL(path, origin), { redirect: "manual", ...init });

    const home = await (await fetch("/")).text();
    assert.match(home, /<title>Home<\/title>.*<p>Hello stranger<\/p>/);
    const api = await fetch("/api/a/b");
    assert.deepEqual(await api.json(), { path: ["a", "b"], variable: "hi", node: "function" });
    assert.equal(await (await fetch("/styles.css")).text(), "body { margin: 0 }");
    assert.equal((await fetch("/nothing")).status, 404);

    const signedIn = await fetch("/auth/signin/credentials", {
      method: "POST",
      headers: { origin, "content-type": "application/x-www-form-urlencoded" },
      body: "pin=1234",
    });
    await signedIn.body?.cancel();
    assert.equal(signedIn.status, 303);
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
    assert.match(await (await fetch("/", { headers: { cookie } })).text(), /Hello Ada/);
    assert.match(await (await fetch("/users")).text(), /<li>Ada<\/li>/);
  } finally {
    await miniflare.dispose();
  }
}

Deno.test("framework build writes an application and writes it anew", async (t) => {
  await using app = await createPackedApp(files);
  await using elsewhere = await createPackedApp(files);
  const test = stepsInOrder(t);
  const build = (...args: string[]): Promise<Transcript> => framework(app.root, "build", ...args);
  const dist = (name: string, { root } = app): Promise<string> =>
    Deno.readTextFile(join(root, "dist", name));
  let analyzed: Transcript;
  let first = "";
  let said = "";

  await test("a worker that runs with D1, sessions and static files", async () => {
    const built = await build();
    assert.equal(built.code, 0, built.stderr);
    assert.match(built.stderr, /dist\/worker\.js {2}\S+ kB, \S+ kB compressed/);
    assert.equal(built.stdout, "");
    said = built.stderr;
    first = await dist("worker.js");
    await assertRuns(app);
  });

  // Tracks: A-20
  await t.step("no secrets that lie in public/", () => {
    assert.match(
      said,
      /^warning: public\/\.env is not in the build, since its name begins with a dot\.$/m,
    );
    assert.ok(existsSync(join(app.root, "dist/assets/styles.css")));
    assert.equal(existsSync(join(app.root, "dist/assets/.env")), false);
  });

  await test("the same worker wherever the project lies", async () => {
    analyzed = await framework(elsewhere.root, "build", "--analyze");
    assert.equal(analyzed.code, 0, analyzed.stderr);
    assert.equal(await dist("worker.js", elsewhere), first);
    assert.doesNotMatch(first, /framework-app-/);
  });

  // The build above has shown that it is the same worker.
  await test("with --analyze what the worker is made of, and the same worker", async () => {
    const { stdout, stderr } = analyzed;
    assert.match(stderr, /\nroute +with imports +gzip +only for it +browser, gzip\n\/\S* +\S+ kB/);
    assert.match(stdout, /^package +in the worker\n[^]*\nhono +\S+ kB/);
    const analysis = JSON.parse(await dist("analysis.json", elsewhere));
    const patterns = analysis.routes.map(({ pattern }: { pattern: string }) => pattern);
    assert.deepEqual(patterns.sort(), ["/", "/api/:path*", "/users"]);
    const sum = analysis.modules.reduce(
      (sum: number, each: { bytes: number }) => sum + each.bytes,
      0,
    );
    assert.ok(sum > 0.9 * analysis.bytes && sum <= analysis.bytes);
    assert.match(await dist("analysis.html", elsewhere), /app\/page\.tsx/);
  });

  await test("size and source map as the options say, and nothing of the build before", async () => {
    assert.ok(existsSync(join(app.root, "dist/worker.js.map")));
    assert.equal((await build("--no-minify", "--no-sourcemap")).code, 0);
    assert.ok((await dist("worker.js")).length > first.length);
    assert.deepEqual([...Deno.readDirSync(join(app.root, "dist"))].map(({ name }) => name).sort(), [
      "assets",
      "third_party_notices.txt",
      "worker.js",
      "wrangler.json",
    ]);
  });

  await test("nothing of tracing without `tracing`, and none of the documents of codes", async () => {
    assert.doesNotMatch(
      await dist("worker.js"),
      /enterSpan|server-timing|diagnostics_channel|auth\.sql|error_codes/,
    );
    // Else the words above would prove nothing.
    assert.match(await dist("worker.js"), /INSERT INTO sessions/);
  });

  await test("style sheets that end too early, with a warning that has the place", async () => {
    const broken = "\n.clock { color: rgb(9, 9, 9)\n@media (x { }";
    for (const name of ["sheet.css", "sheet.module.css"]) await app.write(`app/${name}`, broken);
    await app.write(
      "app/page.tsx",
      `import "./sheet.css";\nimport "./sheet.module.css";\n${files["app/page.tsx"]}`,
    );
    const { code, stderr } = await build();
    assert.equal(code, 0, stderr);
    for (const name of ["sheet.css", "sheet.module.css"]) {
      const said = `warning: app/${name}:3:14 Expected ")" to go with "("\n`;
      assert.equal(stderr.split(said).length, 2, stderr);
      assert.ok(stderr.includes(`The unbalanced "(" is here: (app/${name}:3:8)`), stderr);
    }
  });

  await test("nothing for a mistake, whose place and frame it shows: exit 3, and the last build stays", async () => {
    const before = await dist("worker.js");
    await app.write("app/page.tsx", "export default function Home() {\n  return <p>;\n}\n");
    const failed = await build();
    assert.equal(failed.code, 3);
    assert.match(failed.stderr, /app\/page\.tsx:\d+:\d+ /);
    assert.match(failed.stderr, /\d \| /);
    assert.equal(await dist("worker.js"), before);
    const left = [...Deno.readDirSync(app.root)].map(({ name }) => name);
    assert.deepEqual(left.filter((name) => name.startsWith("dist")), ["dist"]);
  });
});

Deno.test("framework build names the file that lacks an export", async () => {
  await using app = await createPackedApp({
    "app/page.tsx": "export const loader = () => null;",
    "app/api/route.ts": "export const get = () => null;",
  });
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 3);
  assert.match(stderr, /app\/page\.tsx has no default export/);
  assert.match(stderr, /app\/api\/route\.ts exports no method/);
});

Deno.test("framework build says which lines the platform's file lacks for a queue", async () => {
  await using app = await createPackedApp({
    ...small,
    "app/queues/mails.ts": "export function queue() {}",
  });
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 2);
  assert.match(stderr, /app\/queues\/mails\.ts would receive no messages/);
  assert.match(stderr, /"queues": \{ "consumers": \[\{ "queue": "mails" \}\] \}/);
});

Deno.test("framework build refuses to replace a folder that holds something else", async () => {
  await using app = await createPackedApp({ ...small, "dist/thesis.txt": "my work" });
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 2);
  assert.match(stderr, /dist contains files that no build has written/);
  assert.equal(await Deno.readTextFile(join(app.root, "dist/thesis.txt")), "my work");
});

Deno.test("framework build names the command that installs a missing tool", async () => {
  await using app = await createPackedApp(small);
  await app.remove("node_modules/esbuild");
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 2);
  assert.match(stderr, /esbuild is not installed[\s\S]*Run `deno add --dev npm:esbuild`/);
});

// Tracks: F43
Deno.test(
  "framework build killed at any moment leaves the last build, and the next one cleans up",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    await using app = await createPackedApp(small);
    const started = performance.now();
    assert.equal((await runFramework(app.root, "build")).code, 0);
    const duration = performance.now() - started;
    const worker = await Deno.readTextFile(join(app.root, "dist/worker.js"));
    const folders = (): string[] =>
      [...Deno.readDirSync(app.root)].map(({ name }) => name).filter((name) => /^dist/.test(name));
    for (let round = 0; round < (inMatrix ? 10 : 2); round++) {
      const child = startFramework(app.root, "build");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * duration));
      try {
        Deno.kill(child.pid, "SIGKILL");
      } catch {
        // It had finished already.
      }
      await child.stop();
      // Killed between two renames, it stands beside its place, from where the next build takes it back.
      const last = folders().find((name) => /^dist(\.old-\d+)?$/.test(name));
      assert.equal(await Deno.readTextFile(join(app.root, `${last}/worker.js`)), worker);
      JSON.parse(await Deno.readTextFile(join(app.root, `${last}/wrangler.json`)));
    }
    await until(() => processesIn(app.root), (found) => found.length === 0);
    assert.equal((await framework(app.root, "build")).code, 0);
    assert.deepEqual(folders(), ["dist"]);
  },
);

// Tracks: F43
Deno.test("framework build is exit 3 where it cannot write", async () => {
  await using app = await createPackedApp({
    ...small,
    "framework.config.ts": 'export default { outDir: "package.json/dist" };',
  });
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 3);
  assert.match(stderr, /The build could not be written: .*(ENOTDIR|Not a directory)/i);
});

// Tracks: F43
Deno.test("framework build leaves the last build when the disk is full", {
  // Only root may make a small disk.
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
}, async () => {
  await using app = await createPackedApp({
    ...small,
    "framework.config.ts": 'export default { outDir: "disk/dist" };',
    "disk/.keep": "",
  });
  const disk = join(app.root, "disk");
  const mounted = await new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", "size=300k", "tmpfs", disk],
  }).output();
  assert.equal(mounted.code, 0, new TextDecoder().decode(mounted.stderr));
  try {
    const first = await framework(app.root, "build", "--no-sourcemap");
    assert.equal(first.code, 0, first.stderr);
    const worker = await Deno.readTextFile(join(disk, "dist/worker.js"));
    const { code, stderr } = await framework(app.root, "build", "--no-minify");
    assert.equal(code, 3, stderr);
    assert.match(stderr, /The build could not be written: .*(ENOSPC|No space left)/i);
    assert.equal(await Deno.readTextFile(join(disk, "dist/worker.js")), worker);
    assert.deepEqual([...Deno.readDirSync(disk)].map(({ name }) => name), ["dist"]);
  } finally {
    await new Deno.Command("umount", { args: [disk] }).output();
  }
});
