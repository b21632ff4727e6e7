import {
  type AuthOptions,
  createAuth,
  credentials,
  hashPassword,
  jwtSessions,
  verifyPassword,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite, type SqliteDatabase } from "@framework/auth/sqlite";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { inspect } from "node:util";

const ORIGIN = "https://app.example";
const PASSWORD = "canary-password-5b1f";
const WRONG = "canary-wrong-77aa";
const SECRET = "canary-secret-of-32-bytes-or-more-0001";
const NAME = "framework.session-token";

/** A database that can break, with an error that tells what databases tell. */
function breakable(file: DatabaseSync, state: { fails: boolean }): SqliteDatabase {
  function check(sql: string, values: unknown[]): void {
    if (!state.fails) return;
    throw new Error(`D1_ERROR: near "canary-sql": ${sql} (${values}) at /srv/canary-path.sqlite`);
  }
  return {
    exec: (sql) => (check(sql, []), file.exec(sql)),
    prepare(sql) {
      const statement = file.prepare(sql);
      return {
        all: (...values) => (check(sql, values), statement.all(...values)),
        run: (...values) => (check(sql, values), statement.run(...values)),
      };
    },
  };
}

/** Everything that an application's library says in the course of a day, but for Set-Cookie. */
async function listen(options: Partial<AuthOptions>): Promise<{
  public: string;
  log: string;
  dump: string;
  secrets: string[];
}> {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const state = { fails: false };
  const hash = await hashPassword(PASSWORD);
  const log: string[] = [];
  const said: string[] = [];
  const secrets = new Set([PASSWORD, WRONG, SECRET, hash]);
  function report(event: string, fields: unknown): void {
    log.push(inspect([event, fields], { depth: 20, showHidden: true, maxStringLength: null }));
  }
  const auth = createAuth<unknown>({
    baseUrl: ORIGIN,
    database: sqlite(breakable(file, state)),
    logger: { info: report, warn: report, error: report },
    providers: [credentials({
      credentials: {
        name: { label: "Name", type: "text", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: async ({ name, password }) =>
        await verifyPassword(password!, hash) ? { id: name!, name: name! } : null,
    })],
    ...options,
  });

  async function send(path: string, init: RequestInit = {}): Promise<string> {
    for (const accept of ["application/json", "text/html"]) {
      const headers = new Headers(init.headers);
      headers.set("accept", accept);
      if (init.method === "POST" && !headers.has("origin")) headers.set("origin", ORIGIN);
      const request = new Request(`${ORIGIN}/auth${path}`, { ...init, headers });
      const response = await auth.handle(request, {});
      for (const line of response!.headers.getSetCookie()) {
        const value = line.split(";")[0]!.slice(NAME.length + 1);
        if (value !== "") secrets.add(value);
      }
      response!.headers.delete("set-cookie");
      said.push(inspect([...response!.headers]), await response!.text());
    }
    return `${NAME}=${[...secrets].at(-1)}`;
  }
  function form(name: string, password: string): RequestInit {
    return { method: "POST", body: new URLSearchParams({ name, password }) };
  }
  function json(body: string): RequestInit {
    return { method: "POST", body, headers: { "content-type": "application/json" } };
  }
  async function day(cookie: string): Promise<void> {
    const signedIn = { headers: { cookie } };
    for (const path of ["/session", "/sessions", "/providers", "/signin", "/signout", "/error"]) {
      await send(path, signedIn);
      await send(`${path}?password=${PASSWORD}&error=${PASSWORD}&error_description=${PASSWORD}`);
    }
    await send("/signin/credentials", form("ada", WRONG));
    await send("/signin/credentials", form("", PASSWORD));
    await send("/signin/credentials", json(`{"name":"ada","password":"${PASSWORD}"`));
    await send("/signin/credentials", json(`{"name":"ada","password":["${PASSWORD}"]}`));
    await send("/signin/credentials", {
      ...form("ada", PASSWORD),
      headers: { origin: "https://evil.example" },
    });
    await send("/session", { headers: { cookie: `${cookie}x` } });
    await send("/session", { headers: { cookie: `${cookie}; ${NAME}=${WRONG}` } });
  }

  const cookie = await send("/signin/credentials", form("ada", PASSWORD));
  await day(cookie);
  const dump = ["users", "accounts", "sessions", "verifications"]
    .map((table) => inspect(file.prepare(`SELECT * FROM ${table}`).all())).join("\n");
  state.fails = true;
  await day(cookie);
  await send("/signin/credentials", form("ada", PASSWORD));
  await send("/signout", { method: "POST", headers: { cookie } });
  state.fails = false;
  await send("/signout", { method: "POST", headers: { cookie } });
  file.close();
  return { public: said.join("\n"), log: log.join("\n"), dump, secrets: [...secrets] };
}

const STRATEGIES: Record<string, Partial<AuthOptions>> = {
  "database": { session: { strategy: "database" }, secret: SECRET },
  "jwt": { session: { strategy: jwtSessions }, secret: [SECRET, `${SECRET}-old`] },
};

for (const [strategy, options] of Object.entries(STRATEGIES)) {
  // Tracks: K1, R105, R151, R152, R016, R032
  Deno.test(`no password, token, hash or secret is in a response, the log or the tables (${strategy})`, async () => {
    const { public: shown, log, dump, secrets } = await listen(options);
    assert.ok(secrets.length > 4, "there was a session to look for");
    for (const secret of secrets) {
      assert.equal(shown.includes(secret), false, `${secret} in a response`);
      assert.equal(log.includes(secret), false, `${secret} in the log`);
      assert.equal(dump.includes(secret), false, `${secret} in the tables`);
    }
    assert.match(log, /canary-sql/, "the log says what the database said");
    assert.equal(/canary-sql|canary-path|D1_ERROR|SELECT|\.ts:\d+|node_modules/.test(shown), false);
  });
}
