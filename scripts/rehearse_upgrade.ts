/**
 * The application of a rehearsal whose database outlives its releases: who uses it, and what becomes of them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createTestAuthenticator,
  type TestAuthenticator,
} from "../testing/sign_in/authenticator.ts";
import type { Child } from "../tests/support/child.ts";
import { type Client, createClient } from "../tests/support/client.ts";
import { freePort } from "../tests/support/free_port.ts";
import { readFiveMinutes } from "../tests/packages/five_minutes.ts";
import { type LoneRuntime, succeed } from "../tests/packages/lone_runtime.ts";
import { signUp } from "../tests/starter/mails.ts";
import { readJson } from "./workspace.ts";

const PASSWORD = "a few words are easiest";

/** Changes of the README's application: a database beside both releases, API keys, and a page for them. */
const CHANGES: [now: string, next: string][] = [
  ['"app.db"', 'process.env.DATABASE ?? ""'],
  ["accountPage, createAuth,", "accountPage, apiKeys, createAuth, getUser,"],
  ["accountPage()]", 'accountPage(), apiKeys({ prefix: "acme" })]'],
  [
    'import { honoAuth } from "@framework/auth/hono";',
    'import { honoAuth } from "@framework/auth/hono";\n' +
    'import { authMiddleware } from "@framework/auth/middleware";',
  ],
  ["await auth.migrate();", "console.log(JSON.stringify(await auth.migrate()));"],
  [
    "const port =",
    'const programs = authMiddleware({ apiKey: true });\napp.get("/api/me", (c) =>\n' +
    "  programs(c.req.raw, async () => c.json(getUser()), {\n" +
    "    auth: { getUser: async () => getUser() },\n  }));\n\nconst port =",
  ],
];

/** Upgrade of the tables before the next release serves, as docs/databases.md has it. */
const MIGRATE = `import { createAuth } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";

const auth = createAuth({ database: sqlite(new DatabaseSync(process.env.DATABASE ?? "")) });
console.log(JSON.stringify(await auth.migrate()));
`;

/** A release of the application, in a folder of its own. */
export interface DeployedRelease {
  /** Installed version of the library. */
  version: string;
  /** Upgrades the tables by a command; gives what it says. */
  migrate(database: string): Promise<{ from: number | null; to: number }>;
  /** Starts it; it upgrades the tables at its start too. */
  start(database: string): Promise<ServingRelease>;
  /** Has it start on tables that are too new for it; gives what it says. */
  refuse(database: string): Promise<string>;
}

/** A release that serves. */
export interface ServingRelease {
  origin: string;
  output(): string;
  stop(): Promise<void>;
}

/** Installs a release of the library into a new folder, with what serves an application. */
export async function installRelease(
  runtime: LoneRuntime,
  folder: string,
  wanted: string,
): Promise<void> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await succeed(runtime, `npm install ${wanted} hono @hono/node-server`, folder);
}

/**
 * Installs a release with the application.
 *
 * @param folder Folder for it, which is made.
 * @param wanted What `npm install` is told: `@framework/auth@next`.
 */
export async function deployRelease(
  runtime: LoneRuntime,
  folder: string,
  wanted: string,
): Promise<DeployedRelease> {
  await installRelease(runtime, folder, wanted);
  let text = (await readFiveMinutes("auth/README.md", "npm")).files.get("app.ts")!;
  for (const [now, next] of CHANGES) {
    assert.equal(text.split(now).length, 2, `${now} is once in the README's application`);
    text = text.replace(now, () => next);
  }
  await Deno.writeTextFile(join(folder, "app.ts"), text);
  await Deno.writeTextFile(join(folder, "migrate.ts"), MIGRATE);
  const { version } = await readJson(
    join(folder, "node_modules", "@framework", "auth", "package.json"),
  );
  function command(file: string, database: string): string {
    return `env PORT=${freePort()} DATABASE=${database} node ${file}`;
  }
  return {
    version: String(version),
    async migrate(database) {
      const { stdout } = await succeed(runtime, command("migrate.ts", database), folder);
      return JSON.parse(stdout);
    },
    async start(database) {
      const child: Child = runtime.start(command("app.ts", database), folder);
      try {
        const [origin] = await child.waitFor(/http:\/\/localhost:\d+/);
        return { origin, output: child.output, stop: async () => void await child.stop() };
      } catch (error) {
        await child.stop();
        throw error;
      }
    },
    async refuse(database) {
      const { code, stderr } = await runtime.shell(command("app.ts", database), folder);
      assert.notEqual(code, 0, stderr);
      return stderr;
    },
  };
}

/** Somebody who uses the application, with all that opens it. */
export interface Member {
  name: string;
  email: string;
  /** Cookies of a browser that stays signed in. */
  cookies: Map<string, string>;
  authenticator: TestAuthenticator;
  key: string;
}

function browserAt(origin: string, cookies: Map<string, string> = new Map()): Client {
  const browser = createClient(origin);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}

/** The browser, as the authenticator talks to it. */
function contextOf(browser: Client, origin: string) {
  return {
    origin,
    fetch: (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set("origin", origin);
      return browser.fetch(path, { ...init, headers });
    },
  } as Parameters<TestAuthenticator["register"]>[0];
}

async function expectDashboard(browser: Client, name: string, how: string): Promise<void> {
  const response = await browser.fetch("/dashboard");
  assert.equal(await response.text(), `Hello ${name}`, how);
}

/** Signs somebody up at a release, with a passkey and an API key. */
export async function joinAt(
  { origin, output }: ServingRelease,
  name: string,
): Promise<Member> {
  const email = `${name.toLowerCase()}@example.com`;
  const browser = browserAt(origin);
  await signUp(browser, { name, email, password: PASSWORD }, output);
  await expectDashboard(browser, name, "after the sign-up");
  const authenticator = createTestAuthenticator();
  const added = await authenticator.register(contextOf(browser, origin));
  assert.ok(added.status < 400, await added.text());
  const made = await browser.fetch("/auth/api-keys", {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", origin },
    body: JSON.stringify({ name: "Export" }),
  });
  assert.equal(made.status, 200, await made.clone().text());
  const { key } = await made.json() as { key: string };
  return { name, email, cookies: new Map(browser.cookies), authenticator, key };
}

/** Holds that somebody gets in at a release by all that they have: session, password, passkey and key. */
export async function useAt(
  { origin }: Pick<ServingRelease, "origin">,
  { name, email, cookies, authenticator, key }: Member,
): Promise<void> {
  await expectDashboard(browserAt(origin, cookies), name, "by the session of before");
  const byPassword = browserAt(origin);
  const signedIn = await byPassword.post("/auth/signin/passwords", { email, password: PASSWORD });
  assert.equal(signedIn.status, 303, await signedIn.text());
  await expectDashboard(byPassword, name, "by the password");
  const byPasskey = browserAt(origin);
  const proved = await authenticator.signIn(contextOf(byPasskey, origin));
  assert.ok(proved.status < 400, await proved.text());
  await expectDashboard(byPasskey, name, "by the passkey");
  const headers = { authorization: `Bearer ${key}` };
  const asked = await fetch(`${origin}/api/me`, { headers });
  assert.equal((await asked.json() as { name: string }).name, name, "by the API key");
}

/** Every row of every table. */
export function readRows(database: string): Map<string, Record<string, unknown>[]> {
  using file = new DatabaseSync(database, { readOnly: true });
  const tables = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all().map(({ name }) => String(name));
  return new Map(tables.map((table) => [table, file.prepare(`SELECT * FROM "${table}"`).all()]));
}

/**
 * What an upgrade has lost or changed, one line each: rows, and values of the columns of before.
 *
 * @param before Rows before the upgrade, by table.
 */
export function lostRows(
  before: ReturnType<typeof readRows>,
  after: ReturnType<typeof readRows>,
): string[] {
  const lost: string[] = [];
  for (const [table, rows] of before) {
    if (table === "auth_schema") continue;
    for (const row of rows) {
      const columns = Object.entries(row);
      const isKept = (other: Record<string, unknown>) =>
        columns.every(([name, value]) => other[name] === value);
      if (!after.get(table)?.some(isKept)) lost.push(`${table}: ${JSON.stringify(row)}`);
    }
  }
  return lost;
}
