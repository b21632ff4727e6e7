import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { hashPassword } from "../password/hash.ts";
import type { SessionConfig } from "../app/options.ts";
import { endSessions } from "../session/user_sessions.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createTestApplication, inVisit, visit } from "../tests/application.ts";
import { createSqlRevocationStore } from "./revocations.ts";

const PASSWORD = "correct horse battery staple";
const SECRET = "canary-0123456789abcdef0123456789abcdef";

/** Every value of every table. */
function dump(file: DatabaseSync): string {
  const tables = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.map(({ name }) => JSON.stringify(file.prepare(`SELECT * FROM ${name}`).all()))
    .join("\n");
}

/** Returns true when a text contains a part of a secret that is long enough to be useful. */
function revealed(text: string, secret: string): string | undefined {
  const length = 10;
  const pieces = Array.from(
    { length: secret.length - length + 1 },
    (_, index) => secret.slice(index, index + length),
  );
  return pieces.find((piece) => text.includes(piece));
}

// Tracks: R016, R032, K1
Deno.test("the database holds no piece of a password, a session's token or the secret", async () => {
  for (const strategy of ["database", jwtSessions] as const) {
    const setup = createTestApplication();
    const session: SessionConfig = strategy === "database"
      ? { strategy }
      : { strategy, revocation: createSqlRevocationStore(setup.database) };
    const application = createTestApplication({
      database: setup.database,
      session,
      secret: SECRET,
    });
    const cookies = [];
    for (const name of ["ada", "ada", "eve"]) cookies.push(await application.signIn(name));
    application.clock.now += 2 * 86_400_000;
    const renewed = await visit(application, () => new Response(), { cookie: cookies[0]! });
    cookies.push(...renewed.headers.getSetCookie().map((line) => line.split(";")[0]!));
    const { sqlite } = application.database;
    const dumps = [dump(setup.database.sqlite)];
    await application.send("/signout", { method: "POST", cookie: cookies[1]! });
    await inVisit(application, async () => {
      await endSessions("eve");
      return new Response();
    }, { cookie: cookies[0]! });
    setup.database.sqlite.exec("CREATE TABLE passwords (user_id TEXT, hash TEXT)");
    setup.database.sqlite.prepare("INSERT INTO passwords VALUES ('ada', ?)").run(
      await hashPassword(PASSWORD),
    );
    dumps.push(dump(setup.database.sqlite));
    sqlite.close();
    setup.close();
    assert.equal(dumps[1]!.includes("ada"), true);
    const tokens = cookies.map((cookie) => cookie.slice(cookie.indexOf("=") + 1));
    // The head of a signed token is the same for all and says nothing.
    const secrets = tokens.map((token) => token.split(".").slice(-2).join("."));
    for (const secret of [...secrets, PASSWORD, SECRET]) {
      for (const text of dumps) assert.equal(revealed(text, secret), undefined);
    }
  }
});
