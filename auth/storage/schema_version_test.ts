import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { LogFields } from "../lib/logger.ts";
import { ConfigurationError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import type { RequestInfo } from "../core/client_address.ts";
import { getUser } from "../session/operations.ts";
import { passwordProvider } from "../tests/application.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { SQLITE_VERSION_1 } from "../tests/schema_version_1.ts";
import { authSchema } from "./schema.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { createSqlStorage } from "./sql.ts";
import { sqlite } from "./sqlite.ts";
import { upgradeTables } from "./upgrade.ts";
import { misfitOf } from "./sql_executor.ts";

// Tracks: F48, OP-06
Deno.test("misfitOf() names both numbers and the call, and lets everything else work", () => {
  assert.match(
    misfitOf({ version: 1 })!,
    /version 1,.* version 6: call upgradeTables\(database\)/,
  );
  assert.match(misfitOf({ version: 9, compatible: 7 })!, /version 7 on;.* version 6: install/);
  for (
    const marker of [
      { version: 6, compatible: 1 },
      { version: 7, compatible: 6 },
      { version: 99, compatible: 1 },
    ]
  ) {
    assert.equal(misfitOf(marker), null);
  }
});

/** A sign-in at a server, or the error that its host is given. */
function signInAt(database: SqlDatabase): (info?: RequestInfo) => Promise<Response | null> {
  const auth = createAuth({
    database,
    baseUrl: "http://localhost",
    rateLimit: false,
    providers: [passwordProvider()],
  });
  return (info) => {
    const body = new URLSearchParams({ name: "ada", password: "right" });
    const headers = { origin: "http://localhost" };
    const url = "http://localhost/auth/signin/credentials";
    return auth.handle(new Request(url, { method: "POST", headers, body }), {}, info);
  };
}

function refusal(text: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof ConfigurationError && text.test(error.message);
}

// Tracks: F48, OP-06
Deno.test("every request of a server tells of tables that are too old or too new, and the one after the upgrade works", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(SQLITE_VERSION_1);
  const database = sqlite(file);
  const signIn = signInAt(database);
  const older = refusal(/version 1,.* version 6: call upgradeTables\(database\)/);
  await assert.rejects(signIn(), older);
  await assert.rejects(signIn(), older);
  await upgradeTables(database);
  assert.equal((await signIn())!.status, 303);

  using next = new DatabaseSync(":memory:");
  next.exec(authSchema.up);
  next.exec("UPDATE auth_schema SET version = 9, compatible = 9");
  const signInThere = signInAt(sqlite(next));
  await assert.rejects(signInThere(), refusal(/version 9 on;.* version 6: install/));
  next.exec("UPDATE auth_schema SET compatible = 2");
  assert.equal((await signInThere())!.status, 303);
});

// Tracks: OP-02
Deno.test("tables that do not fit are one line of the log for each request, whatever it reads and stores", async () => {
  for (
    const misfit of [SQLITE_VERSION_1, `${authSchema.up}; UPDATE auth_schema SET compatible = 9`]
  ) {
    using file = new DatabaseSync(":memory:");
    file.exec(misfit);
    const lines: LogFields[] = [];
    const auth = createAuth({
      database: sqlite(file),
      baseUrl: "http://localhost",
      providers: [passwordProvider()],
      logger: { info() {}, warn() {}, error: (event, fields) => lines.push({ event, ...fields }) },
    });
    const cookie = `framework.session-token=${"a".repeat(43)}`;
    for (const requestId of ["first", "second"]) {
      const request = new Request("http://localhost/", { headers: { cookie } });
      const reading = auth.run(request, {}, { requestId }, () => {
        getUser();
        return new Response();
      });
      await assert.rejects(reading, ConfigurationError);
      await new Promise((resolve) => setTimeout(resolve));
      const told = lines.splice(0).map((line) => [line.requestId, (line.error as Error).name]);
      assert.deepEqual(told, [[requestId, "ConfigurationError"]]);
    }
  }
});

// Tracks: F48, OP-06
Deno.test("a server that lives with later tables, which only add, never hears of them", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  file.exec("UPDATE auth_schema SET version = 9, compatible = 2");
  assert.equal((await signInAt(sqlite(file))())!.status, 303);
});

// Tracks: F48, OP-06
Deno.test("a worker reads the marker once, in the background, and no request waits for it", async () => {
  const double = createD1Double();
  let answer = () => {};
  const markers: Promise<unknown>[] = [];
  const database: SqlDatabase = {
    ...double,
    prepare(sql) {
      const statement = double.prepare(sql);
      if (!sql.includes("auth_schema")) return statement;
      const first = <T>() => {
        const read = new Promise<void>((resolve) => answer = resolve)
          .then(() => statement.first<T>());
        markers.push(read);
        return read;
      };
      return { ...statement, first };
    },
  };
  const signIn = signInAt(database);
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  // Nobody has answered what the version is, and nobody waits for that.
  for (let round = 0; round < 3; round++) assert.equal((await signIn({ waitUntil }))!.status, 303);
  assert.equal(markers.length, 1);
  answer();
  await Promise.all(background);
  double.close();
});

// Tracks: OP-06
Deno.test("a statement that meets a missing column says which versions do not fit", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(SQLITE_VERSION_1);
  file.exec("ALTER TABLE users DROP COLUMN image");
  await assert.rejects(
    createSqlStorage(sqlite(file)).getUser("ada"),
    /The tables have version 1,.* this library has version 6/,
  );
});
