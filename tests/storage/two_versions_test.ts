import { authSchema } from "@framework/auth/storage";
import * as esbuild from "esbuild";
import { Miniflare, type WorkerOptions } from "miniflare";
import assert from "node:assert/strict";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";

const ORIGIN = "https://app.example";

interface Fetcher {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/**
 * Changes that the next version may make to the tables: additions, with a default, that the present
 * one does not know.
 */
const NEXT_MIGRATION = [
  "ALTER TABLE sessions ADD COLUMN region TEXT",
  "ALTER TABLE users ADD COLUMN locale TEXT NOT NULL DEFAULT 'en'",
  "CREATE TABLE regions (id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL)",
  "CREATE INDEX sessions_region ON sessions (region)",
  "UPDATE auth_schema SET version = version + 1",
];

/** Replacements in the next version's source, by file: it writes the column and requires it. */
const NEXT_TEXT: Record<string, [now: string, next: string][]> = {
  "statements.ts": [
    ["expires_at, tenant_id)", "expires_at, tenant_id, region)"],
    ["?8, ?9 ${owner", "?8, ?9, 'north' ${owner"],
  ],
  "rows.ts": [['sessions.tenant_id";', 'sessions.tenant_id, sessions.region";']],
};

/** The library of the next version. */
const nextVersion: esbuild.Plugin = {
  name: "next-version",
  setup(build) {
    build.onLoad({ filter: /\/auth\/storage\/(?:statements|rows)\.ts$/ }, async ({ path }) => {
      let contents = await Deno.readTextFile(path);
      for (const [now, next] of NEXT_TEXT[path.split("/").at(-1)!]!) {
        assert.equal(contents.split(now).length, 2, now);
        contents = contents.replace(now, () => next);
      }
      return { contents, loader: "ts" };
    });
  },
};

/** A worker of the library as it is, or of the next version. */
async function build(name: string, plugins: esbuild.Plugin[]): Promise<WorkerOptions> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: repositoryRoot,
    entryPoints: ["scripts/budgets/minimal_worker.ts"],
    alias: await workspaceAlias(),
    plugins,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
  return {
    name,
    modules: [{ type: "ESModule", path: "worker.js", contents: outputFiles[0]!.text }],
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: { DB: "auth" },
    bindings: { AUTH_SECRET: "s".repeat(32), GITHUB_ID: "id", GITHUB_SECRET: "secret" },
  };
}

/** Actions of a browser at a version. */
function clientOf(miniflare: Miniflare) {
  async function send(version: string, path: string, init: RequestInit): Promise<Response> {
    const worker = await miniflare.getWorker(version) as unknown as Fetcher;
    return await worker.fetch(`${ORIGIN}${path}`, { redirect: "manual", ...init });
  }
  function post(version: string, path: string, cookie = ""): Promise<Response> {
    const headers = { "accept": "text/html", "content-type": "application/json", cookie };
    return send(version, path, { method: "POST", headers, body: '{"pin":"1234"}' });
  }
  return {
    async signIn(version: string): Promise<string> {
      const response = await post(version, "/auth/signin/credentials");
      assert.equal(response.status, 303, await response.text());
      return response.headers.get("set-cookie")!.split(";")[0]!;
    },
    async signOut(version: string, cookie: string): Promise<void> {
      const response = await post(version, "/auth/signout", cookie);
      assert.equal(response.status, 303, await response.text());
    },
    async whoIs(version: string, cookie: string): Promise<string | null> {
      const response = await send(version, "/", { headers: { cookie } });
      return (await response.json())?.id ?? null;
    },
  };
}

// Tracks: F48
Deno.test({
  name: "two versions of the library work on one D1 at a time, before and after the migration",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const workers = [await build("present", []), await build("next", [nextVersion])];
    await esbuild.stop();
    const miniflare = new Miniflare({ workers });
    try {
      const { signIn, signOut, whoIs } = clientOf(miniflare);
      const database = await miniflare.getD1Database("DB", "present");
      const tables = authSchema.up.split(/;\n/).filter((sql) => sql.trim() !== "");
      await database.batch(tables.map((sql) => database.prepare(sql)));
      const before = await signIn("present");
      await database.batch(NEXT_MIGRATION.map((sql) => database.prepare(sql)));
      const cookies = [before, await signIn("present"), await signIn("next")];
      for (const cookie of cookies) {
        assert.equal(await whoIs("present", cookie), "ada");
        assert.equal(await whoIs("next", cookie), "ada");
      }
      const { results } = await database.prepare("SELECT region FROM sessions ORDER BY rowid")
        .all();
      const regions = results.map((row: { region?: unknown }) => row.region);
      assert.deepEqual(regions, [null, null, "north"]);

      // A session of each ends at the other.
      for (const [version, cookie] of [["present", cookies[2]!], ["next", cookies[0]!]] as const) {
        await signOut(version, cookie);
        assert.equal(await whoIs("present", cookie), null);
        assert.equal(await whoIs("next", cookie), null);
      }
      assert.equal(await whoIs("next", cookies[1]!), "ada");
    } finally {
      await miniflare.dispose();
    }
  },
});
