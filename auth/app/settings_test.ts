import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { credentials } from "../sign_in/credentials.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { DatabaseSync } from "node:sqlite";
import { createD1Double } from "../tests/d1_double.ts";
import type { AuthOptions } from "./options.ts";
import { readSettings } from "./settings.ts";
import { jwtSessions } from "./jwt_sessions.ts";

const database = createMemoryStorage();

function provider(id?: string) {
  return credentials({
    ...(id !== undefined && { id }),
    credentials: { pin: { label: "PIN", type: "password" } },
    authorize: () => Promise.resolve(null),
  });
}

// Tracks: AU-07, SP-A2
Deno.test("readSettings() takes times without a strategy: where there is a database, sessions are in it", () => {
  const { strategy } = readSettings({ database, session: { maxAge: 3600 } }, undefined);
  assert.equal(strategy.name, "database");
});

// Tracks: AU-13
Deno.test("readSettings() refuses a bare driver by name, with the line to write and its import", async () => {
  const { default: pg } = await import("pg");
  using file = new DatabaseSync(":memory:");
  class Sqlite3Client {
    execute() {}
    batch() {}
    executeMultiple() {}
  }
  const object = { sql: { exec() {} }, transactionSync() {} };
  const postgresJs = Object.assign(() => {}, { unsafe() {}, begin() {}, listen() {} });
  class PGlite {
    query() {}
    listen() {}
    transaction() {}
  }
  const drivers: [driver: unknown, name: string, call: string][] = [
    [file, "DatabaseSync", "sqlite"],
    [new Sqlite3Client(), "Sqlite3Client", "sqlite"],
    [object, "Object", "sqlite"],
    [new pg.Pool(), "BoundPool", "postgres"],
    [new pg.Client(), "Client", "postgres"],
    [postgresJs, "Function", "postgres"],
    [new PGlite(), "PGlite", "postgres"],
  ];
  for (const [driver, name, call] of drivers) {
    assert.throws(() => readSettings({ database: driver as never }, undefined), {
      name: "ConfigurationError",
      message: `Wrong option "database": found "${name}"; write a D1 binding, or ${call}(…) with ` +
        `import { ${call} } from "@framework/auth/${call}"`,
    });
  }
});

Deno.test("readSettings() fills in the defaults", () => {
  const settings = readSettings({ database }, undefined);
  assert.equal(settings.basePath, "/auth");
  assert.equal(settings.strategy.name, "database");
  assert.equal(settings.bearer, false);
  assert.deepEqual(settings.cookie, {
    name: "framework.session-token",
    prefix: "",
    hostOnly: false,
    since: -Infinity,
    until: -Infinity,
    secure: "auto",
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    domain: null,
    tokens: settings.strategy.cookies,
  });
  assert.deepEqual(settings.pages, {
    signIn: "/auth/signin",
    signOut: "/auth/signout",
    error: "/auth/error",
    verifyRequest: "/auth/verify-request",
    newUser: null,
    forgotPassword: null,
    theme: null,
  });
  assert.equal(settings.storage, database);
  assert.equal(settings.now, Date.now);
});

Deno.test("readSettings() derives the default pages from basePath", () => {
  assert.equal(
    readSettings({ database, basePath: "/api/auth" }, {}).pages.signIn,
    "/api/auth/signin",
  );
});

Deno.test("readSettings() makes a storage of a D1-shaped database, whose statements are prepared once", async () => {
  const double = createD1Double();
  for (let round = 0; round < 3; round++) {
    assert.equal(await readSettings({ database: double }, {}).storage.getUser("ada"), null);
  }
  assert.equal(double.prepared, 1);
  double.close();
});

// Tracks: R153, R061, R063
Deno.test("readSettings() throws a ConfigurationError that names the option when it is wrong", () => {
  const wrong: [unknown, string, RegExp?][] = [
    [{}, "database", /database.*jwtSessions/s],
    [{ database: 5 }, "database"],
    [{ database: {} }, "database"],
    [{ databse: database }, "databse", /Did you mean "database"\?/],
    [{ database, callbacks: 5 }, "callbacks"],
    [{ database, basePath: "auth" }, "basePath", /found "auth"; write a path/],
    [{ database, basePath: "/" }, "basePath"],
    [{ database, basePath: "/auth/" }, "basePath"],
    [{ database, basePath: "//auth" }, "basePath"],
    [{ database, basePath: "/a/../b" }, "basePath"],
    [{ database, basePath: "/a%2fb" }, "basePath"],
    [{ session: { strategy: "database" } }, "database", /jwtSessions/],
    [{ session: { maxAge: 5 } }, "database", /jwtSessions/],
    [{ database, session: { strategy: jwtSessions } }, "secret", /openssl rand -hex 32/],
    [{ session: { strategy: jwtSessions }, secret: "short" }, "secret"],
    [
      { database, session: { strategy: "jwt" } },
      "session.strategy",
      /found "jwt".*import \{ jwtSessions \} from "@framework\/auth"/,
    ],
    [{ database, trustedProxies: ["10.0.0.0/8"] }, "trustedProxies", /write trustProxies\(/],
    [{ database, session: { strategy: "jwts" } }, "session.strategy", /jwtSessions/],
    [{ database, session: { strategy: jwtSessions, bearer: "yes" } }, "session.bearer"],
    [{ database, session: { strategy: jwtSessions, revocation: true } }, "session.revocation"],
    [
      { database, session: { strategy: "database", revocation: { isRevoked() {} } } },
      "session.revocation",
      /only with jwtSessions/,
    ],
    [{ database, session: { strategy: "databse" } }, "session.strategy", /write "database"/],
    [{ database, session: "database" }, "session"],
    [
      { database, session: { strategy: "database", maxage: 5 } },
      "session.maxage",
      /Did you mean "maxAge"/,
    ],
    [{ database, session: { strategy: "database", maxAge: 0 } }, "session.maxAge"],
    [{ database, session: { strategy: "database", maxAge: -1 } }, "session.maxAge", /found -1/],
    [{ database, session: { strategy: "database", maxAge: 1.5 } }, "session.maxAge"],
    [{ database, session: { strategy: "database", maxAge: NaN } }, "session.maxAge"],
    [{ database, session: { strategy: "database", maxAge: "30d" } }, "session.maxAge"],
    [
      { database, session: { strategy: "database", maxAge: 401 * 86400 } },
      "session.maxAge",
      /400 days/,
    ],
    [{ database, session: { strategy: "database", updateAge: -1 } }, "session.updateAge"],
    [{ database, session: { strategy: "database", absoluteMaxAge: 0 } }, "session.absoluteMaxAge"],
    [{ database, pages: { signIn: "login" } }, "pages.signIn"],
    [{ database, pages: { signIn: "//evil.example" } }, "pages.signIn"],
    [{ database, pages: { signIn: "/\\evil.example" } }, "pages.signIn"],
    [{ database, pages: { signIn: "/..//evil.example" } }, "pages.signIn"],
    [{ database, pages: { signIn: "https://evil.example/" } }, "pages.signIn"],
    [{ database, pages: { signin: "/login" } }, "pages.signin", /Did you mean "signIn"/],
    [{ database, secret: "short" }, "secret"],
    [{ database, secret: [] }, "secret[0]"],
    ...[undefined, null, "", "short"].map((first): [unknown, string] => [
      { database, secret: [first, "x".repeat(32)] },
      "secret[0]",
    ]),
    [{ database, secret: ["x".repeat(32), "", "short"] }, "secret[2]", /"secret\[2\]": a secret/],
    [{ database, baseUrl: "app.example" }, "baseUrl"],
    [{ database, baseUrl: "https://app.example/path" }, "baseUrl"],
    [{ database, baseUrl: "ftp://app.example" }, "baseUrl"],
    [{ database, baseUrl: "https://user@app.example" }, "baseUrl"],
    [{ database, allowedHosts: "app.example" }, "allowedHosts"],
    [{ database, allowedHosts: [] }, "allowedHosts"],
    [{ database, allowedHosts: ["https://app.example"] }, "allowedHosts[0]"],
    [{ database, allowedHosts: ["*.app.example"] }, "allowedHosts[0]"],
    [{ database, trustedOrigins: ["*"] }, "trustedOrigins[0]"],
    [{ database, trustedOrigins: ["https://*.app.example"] }, "trustedOrigins[0]"],
    [{ database, trustedOrigins: ["https://a.example", "null"] }, "trustedOrigins[1]"],
    [{ database, providers: {} }, "providers"],
    [{ database, providers: [{}] }, "providers[0]"],
    [{ database, providers: [provider(), provider()] }, "providers[1].id"],
    [{ database, now: 5 }, "now"],
    [{ database, logger: {} }, "logger"],
    [null, "createAuth()"],
  ];
  for (const [options, field, message] of wrong) {
    assert.throws(
      () => readSettings(options as AuthOptions, undefined),
      (error) => {
        assert.ok(error instanceof ConfigurationError, String(error));
        assert.equal(error.field, field);
        if (message !== undefined) assert.match(error.message, message);
        return true;
      },
      JSON.stringify(options),
    );
  }
});

// A variable for the secret of before is there during a rotation alone.
Deno.test("readSettings() leaves out what is undefined or empty behind the first secret", () => {
  const secret = "x".repeat(32);
  const second = "y".repeat(32);
  for (const before of [[], [undefined], [""], [undefined, ""]]) {
    assert.deepEqual(readSettings({ database, secret: [secret, ...before] }, {}).secrets, [secret]);
    const { secrets } = readSettings({ database, secret: [secret, ...before, second] }, {});
    assert.deepEqual(secrets, [secret, second]);
  }
});

// Tracks: R151
Deno.test("readSettings() does not repeat a secret that is too short", () => {
  assert.throws(
    () => readSettings({ database, secret: "hunter2" }, {}),
    (error) => error instanceof ConfigurationError && !error.message.includes("hunter2"),
  );
});

Deno.test("readSettings() refuses a cookie that would not reach the endpoints", () => {
  function cookie(options: object, more: Partial<AuthOptions> = {}) {
    return () => readSettings({ database, cookies: { sessionToken: { options } }, ...more }, {});
  }
  assert.throws(cookie({ path: "/app" }), /path above the endpoints/);
  assert.throws(cookie({ path: "/au" }), /path above the endpoints/);
  cookie({ path: "/app" }, { basePath: "/app/auth" })();
  cookie({ path: "/auth" })();
  assert.throws(
    cookie({ domain: "other.example" }, { baseUrl: "https://app.example" }),
    /domain above it/,
  );
  assert.throws(
    cookie({ domain: "example" }, { baseUrl: "https://appexample" }),
    /domain above it/,
  );
  cookie({ domain: "app.example" }, { baseUrl: "https://www.app.example" })();
});

Deno.test("readSettings() makes providers from the environment", () => {
  const seen: unknown[] = [];
  const made = credentials((env: { pin: string }) => {
    seen.push(env);
    return {
      credentials: { pin: { label: env.pin, type: "text" } },
      authorize: () => Promise.resolve(null),
    };
  });
  const { providers } = readSettings({ database, providers: [made] }, { pin: "PIN" });
  assert.equal(providers.get("credentials")?.name, "Credentials");
  assert.deepEqual(seen, [{ pin: "PIN" }]);
});
