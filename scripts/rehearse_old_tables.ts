/**
 * Databases of a rehearsal that old releases made, by their own statements and code, which the present packages take over.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LoneRuntime } from "../tests/packages/lone_runtime.ts";
import { type Client, createClient } from "../tests/support/client.ts";
import { freePort } from "../tests/support/free_port.ts";
import { repositoryRoot } from "./workspace.ts";

const RELEASES = join(repositoryRoot, "tests", "storage", "releases");

/** Serves the application of the old releases with the packages that are installed beside it. */
const SERVE = `import { serve } from "@hono/node-server";
import { createAuth } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import { createSqliteDatabase, worker } from "./application.ts";

const file = new DatabaseSync(process.env.DATABASE ?? "");
console.log(JSON.stringify(await createAuth({ database: sqlite(file) }).migrate()));
const env = { DB: createSqliteDatabase(file), AUTH_SECRET: "s".repeat(32) };
const port = Number(process.env.PORT);
serve({ fetch: (request) => worker.fetch(request, env), port, hostname: "127.0.0.1" }, () => {
  console.log(\`http://127.0.0.1:\${port}\`);
});
`;

/** Versions of the tables of which a release is kept. */
export async function oldVersions(): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir(RELEASES)) {
    const version = /^version_(\d+)\.js$/.exec(name)?.[1];
    if (version !== undefined) found.push(Number(version));
  }
  return found.toSorted((a, b) => a - b);
}

async function whoIs(browser: Client): Promise<string | null> {
  return (await (await browser.fetch("/")).json() as { id: string } | null)?.id ?? null;
}

/** Signs in by both ways of the old application; gives the browsers. */
async function signIn(origin: string, name: string): Promise<Client[]> {
  const [named, mailed] = [createClient(origin), createClient(origin)];
  const answers: Response[] = [await named.post("/auth/signin/credentials", { name })];
  const email = `${name}@app.example`;
  answers.push(await mailed.post("/auth/signin/email", { email }));
  const token = await (await mailed.fetch(`/mail?to=${encodeURIComponent(email)}`)).text();
  answers.push(await mailed.post("/auth/callback/email", { token, email }));
  for (const answer of answers) assert.equal(answer.status, 303, await answer.text());
  assert.equal(await whoIs(named), name);
  return [named, mailed];
}

/**
 * Has a release of before make a database and serve it, upgrades it by the installed packages, and lets both serve.
 *
 * @param runtime Machine with Node.
 * @param app Folder in which the packages are installed.
 * @param version Version of the tables.
 * @returns What `auth.migrate()` says.
 */
export async function takeOver(
  runtime: LoneRuntime,
  app: string,
  version: number,
): Promise<{ from: number; to: number }> {
  const release = await import(
    new URL(`../tests/storage/releases/version_${version}.js`, import.meta.url).href
  ) as typeof import("../tests/storage/releases/application.ts");
  await Deno.copyFile(join(RELEASES, "application.ts"), join(app, "application.ts"));
  await Deno.writeTextFile(join(app, "serve.ts"), SERVE);
  const database = join(app, `version_${version}.db`);
  using file = new DatabaseSync(database);
  file.exec("PRAGMA busy_timeout = 5000");
  file.exec(release.authSchema.up);
  const env = { DB: release.createSqliteDatabase(file), AUTH_SECRET: "s".repeat(32) };
  const old = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => release.worker.fetch(request, env),
  );
  const oldOrigin = `http://127.0.0.1:${old.addr.port}`;
  try {
    const before = await signIn(oldOrigin, "ada");
    const ids = await Promise.all(before.map(whoIs));
    const line = `env PORT=${freePort()} DATABASE=${database} node serve.ts`;
    const child = runtime.start(line, app);
    try {
      const [origin] = await child.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
      const said = JSON.parse(/^\{.*\}$/m.exec(child.output())![0]);
      const at = (place: string, { cookies }: Client) => {
        const browser = createClient(place);
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        return whoIs(browser);
      };
      // The sessions of before, the ways in, and either release's sessions at the other one.
      for (const [index, browser] of before.entries()) {
        assert.equal(await at(origin, browser), ids[index]);
      }
      const anew = await signIn(origin, "ada");
      assert.deepEqual(await Promise.all(anew.map(whoIs)), ids);
      for (const [index, browser] of anew.entries()) {
        assert.equal(await at(oldOrigin, browser), ids[index]);
      }
      for (const browser of await signIn(oldOrigin, "eve")) {
        assert.equal(await at(origin, browser), await whoIs(browser));
      }
      return said;
    } finally {
      await child.stop();
    }
  } finally {
    await old.shutdown();
  }
}
