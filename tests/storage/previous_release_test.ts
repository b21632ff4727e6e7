// auth.migrate() while a release of before serves: no request of it fails, before, during and after.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createAuth } from "@framework/auth";
import { d1 } from "@framework/auth/d1";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, type SqlDatabase } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { type Child, startChild } from "../support/child.ts";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";
import { inMatrix } from "../support/matrix.ts";
import { startPostgres } from "../support/postgres.ts";

const RELEASES = new URL("./releases/", import.meta.url);
const bin = await findPostgres();

/** Releases by the version of their tables; `releases/make.ts` makes the next one before the tables change. */
const VERSIONS = [1, 2, 3, 4];

/** On each push the oldest over PostgreSQL, whose tables go through those of all others, and the newest over D1. */
const [OLDEST, NEWEST] = [VERSIONS[0], VERSIONS.at(-1)];

async function releaseOf(version: number): Promise<typeof import("./releases/application.ts")> {
  return await import(new URL(`version_${version}.js`, RELEASES).href);
}

/** Users of before, so that an index takes a while. */
const USERS = inMatrix ? 100_000 : 10_000;

/** Sends a request to the release before. */
type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** A browser at the release before. */
function openBrowser(send: Send) {
  let cookie = "";
  async function go(path: string, fields?: Record<string, string>): Promise<Response> {
    const response = await send(path, {
      redirect: "manual",
      headers: { cookie, ...(fields && { "content-type": "application/json" }) },
      ...(fields && { method: "POST", body: JSON.stringify(fields) }),
    });
    const jar = new Map(
      cookie.split("; ").filter(Boolean).map((one) => {
        const [name, ...value] = one.split("=");
        return [name!, value.join("=")];
      }),
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/max-age=0/i.test(line)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    return response;
  }
  async function expect(status: number, path: string, fields?: Record<string, string>) {
    const response = await go(path, fields);
    const text = await response.text();
    assert.equal(response.status, status, `${path}: ${text}`);
    return text;
  }
  return {
    expect,
    whoIs: async () => JSON.parse(await expect(200, "/")) as { id: string; email?: string } | null,
  };
}

/** What a visitor does, from sign-in to sign-out, by both ways of the application. */
async function visit(send: Send, name: string): Promise<void> {
  const browser = openBrowser(send);
  await browser.expect(303, "/auth/signin/credentials", { name });
  assert.equal((await browser.whoIs())?.id, name);
  await browser.expect(303, "/auth/signout", {});
  assert.equal(await browser.whoIs(), null);

  const address = `${name}@app.example`;
  await browser.expect(303, "/auth/signin/email", { email: address });
  const token = await browser.expect(200, `/mail?to=${encodeURIComponent(address)}`);
  await browser.expect(303, "/auth/callback/email", { token, email: address });
  assert.equal((await browser.whoIs())?.email, address);
  await browser.expect(303, "/auth/signout", {});
  assert.equal(await browser.whoIs(), null);
}

/**
 * Visitors who come one after the other to the release before, while the tables are upgraded.
 *
 * @param migrate Upgrades the tables.
 */
async function serveThroughout(
  send: Send,
  version: number,
  migrate: () => Promise<unknown>,
): Promise<void> {
  const keeper = openBrowser(send);
  await keeper.expect(303, "/auth/signin/credentials", { name: "keeper" });
  await visit(send, "before");

  let isOver = false;
  const visits = { begun: 0, ended: 0 };
  async function keepVisiting(visitor: number): Promise<void> {
    for (let index = 0; !isOver; index++) {
      visits.begun++;
      await visit(send, `visitor-${visitor}-${index}`);
      assert.equal((await keeper.whoIs())?.id, "keeper");
      visits.ended++;
    }
  }
  const visiting = Promise.all([0, 1, 2].map(keepVisiting)).finally(() => isOver = true);
  // Awaited below, where a failure of it is the test's.
  visiting.catch(() => {});
  // All are under way when the upgrade begins.
  while (visits.ended < 3 && !isOver) await new Promise((resolve) => setTimeout(resolve, 10));
  const during = visits.begun - visits.ended;
  try {
    assert.deepEqual(await migrate(), { from: version, to: authSchema.version });
    const { ended } = visits;
    while (visits.ended < ended + 3 && !isOver) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } finally {
    isOver = true;
    await visiting;
  }
  assert.equal(during, 3);

  await visit(send, "after");
  assert.equal((await keeper.whoIs())?.id, "keeper");
}

/** Has a process of the release before serve a place. */
async function serveInProcess(
  version: number,
  place: string,
  database: SqlDatabase,
): Promise<void> {
  const child: Child = startChild(Deno.execPath(), [
    ...[
      "run",
      "-A",
      "--no-check",
      fileURLToPath(new URL("serve.ts", RELEASES)),
      String(version),
      place,
    ],
  ], { cwd: repositoryRoot });
  try {
    const [, port] = await child.waitFor(/listens on (\d+)/, 120);
    const send: Send = (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
    await serveThroughout(send, version, () => createAuth({ database }).migrate());
  } finally {
    await child.stop();
  }
}

/** The numbers from 1 on, for statements that make users of before. */
const numbered = (select: string) =>
  `INSERT INTO users (id, created_at) WITH RECURSIVE numbers (n) AS
(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${USERS}) ${select}`;

for (const version of VERSIONS) {
  if (inMatrix) {
    // Tracks: F37, F48
    Deno.test(`auth.migrate() on a SQLite file: a process of the release with tables of version ${version} serves throughout`, async () => {
      const folder = await Deno.makeTempDir({ prefix: "framework-release-" });
      const place = join(folder, "app.db");
      const file = new DatabaseSync(place);
      try {
        file.exec((await releaseOf(version)).authSchema.up);
        file.exec(numbered("SELECT 'user-' || n, n FROM numbers"));
        await serveInProcess(version, place, sqlite(file));
      } finally {
        file.close();
        await Deno.remove(folder, { recursive: true });
      }
    });
  }

  if (inMatrix || version === OLDEST) {
    // Tracks: F37, F48
    Deno.test({
      name:
        `auth.migrate() on PostgreSQL: a process of the release with tables of version ${version} serves throughout` +
        (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
      ignore: bin === null,
      sanitizeOps: false,
      sanitizeResources: false,
      async fn() {
        const server = await startPostgres(bin!);
        try {
          await server.admin.query((await releaseOf(version)).postgresSchema.up);
          await server.admin.query(numbered("SELECT 'user-' || n, n FROM numbers"));
          const place = `postgres://framework@127.0.0.1:${server.port}/postgres`;
          await serveInProcess(version, place, postgres(server.pool));
        } finally {
          await server.stop();
        }
      },
    });
  }

  if (!inMatrix && version !== NEWEST) continue;

  // Tracks: F37, F48
  Deno.test({
    name:
      `auth.migrate() on D1: a worker of the release with tables of version ${version} serves throughout`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const release = await Deno.readTextFile(new URL(`version_${version}.js`, RELEASES));
      const miniflare = new Miniflare({
        modules: [
          {
            type: "ESModule",
            path: "worker.js",
            contents: 'export { worker as default } from "./release.js";',
          },
          { type: "ESModule", path: "release.js", contents: release },
        ],
        compatibilityDate: "2026-07-01",
        compatibilityFlags: ["nodejs_compat"],
        d1Databases: { DB: "auth" },
        bindings: { AUTH_SECRET: "s".repeat(32) },
      });
      try {
        const database = await miniflare.getD1Database("DB") as unknown as SqlDatabase;
        const { authSchema: before } = await releaseOf(version);
        const tables = before.up.split(";").filter((sql) => sql.trim() !== "");
        await database.batch(tables.map((sql) => database.prepare(sql)));
        await database.prepare(numbered("SELECT 'user-' || n, n FROM numbers")).run();
        const send: Send = async (path, init) =>
          await miniflare.dispatchFetch(
            `https://app.example${path}`,
            init as never,
          ) as unknown as Response;
        await serveThroughout(
          send,
          version,
          () => createAuth({ database: d1(database) }).migrate(),
        );
      } finally {
        await disposeMiniflare(miniflare);
      }
    },
  });
}
