import assert from "node:assert/strict";
import {
  ConfigurationError,
  InvalidEmailError,
  OutsideRequestError,
  UserExistsError,
} from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createTestApplication, inVisit, visit } from "../tests/application.ts";
import { createUser, transaction } from "./users.ts";

Deno.test("createUser() stores the user together with the application's own rows", async () => {
  const application = createTestApplication();
  const { database } = application;
  database.sqlite.exec(
    "CREATE TABLE passwords (user_id TEXT PRIMARY KEY REFERENCES users (id), hash TEXT NOT NULL)",
  );
  await inVisit(application, async () => {
    const within = transaction([
      database.prepare("INSERT INTO passwords VALUES (?, ?)").bind("ada", "hash"),
    ]);
    const user = await createUser({ id: "ada", email: "Ada@Example.com" }, { within });
    assert.deepEqual(user, { id: "ada", email: "Ada@Example.com" });
    return new Response();
  });
  const row = database.sqlite.prepare("SELECT * FROM users JOIN passwords ON user_id = id").get()!;
  assert.deepEqual([row.email, row.email_identity, row.hash], [
    "Ada@Example.com",
    "ada@example.com",
    "hash",
  ]);
  application.close();
});

Deno.test("createUser() stores nothing when a row of the transaction is refused, and says what the database said", async () => {
  const application = createTestApplication();
  const { database } = application;
  database.sqlite.exec(
    "CREATE TABLE invites (code TEXT UNIQUE); INSERT INTO invites VALUES ('used')",
  );
  await assert.rejects(
    visit(application, async () => {
      const within = transaction([database.prepare("INSERT INTO invites VALUES (?)").bind("used")]);
      await createUser({ id: "ada" }, { within });
      return new Response();
    }),
    /UNIQUE constraint failed: invites\.code/,
  );
  assert.equal(database.sqlite.prepare("SELECT count(*) AS n FROM users").get()!.n, 0);
  application.close();
});

Deno.test("createUser() throws UserExistsError for a taken mailbox, in any spelling", async () => {
  const application = createTestApplication();
  await inVisit(application, async () => {
    const user = await createUser({ email: "ada@example.com" });
    assert.match(user.id, /^[0-9a-f-]{36}$/);
    await assert.rejects(createUser({ email: "ADA@EXAMPLE.COM" }), UserExistsError);
    await assert.rejects(createUser({ id: user.id }), UserExistsError);
    await assert.rejects(createUser({ email: "nonsense" }), InvalidEmailError);
    return new Response();
  });
  application.close();
});

Deno.test("createUser() throws a ConfigurationError for statements where there is no SQL", async () => {
  const application = createTestApplication({ database: createMemoryStorage() });
  const statements = [application.database.prepare("SELECT 1")];
  await inVisit(application, async () => {
    assert.throws(() => transaction(statements), ConfigurationError);
    await assert.rejects(createUser({}, { within: { work: statements } }), ConfigurationError);
    return new Response();
  });
  application.close();
});

Deno.test("createUser() refuses options that it does not know, and makes no user", async () => {
  const application = createTestApplication();
  const statements = [application.database.prepare("SELECT 1")];
  await inVisit(application, async () => {
    for (const options of [{ alongside: statements }, statements, null, "within"]) {
      await assert.rejects(createUser({ id: "ada" }, options as never), ConfigurationError);
    }
    await createUser({ id: "ada" }, { within: transaction(statements) });
    return new Response();
  });
  application.close();
});

Deno.test("createUser() throws OutsideRequestError when there is no request", async () => {
  await assert.rejects(createUser({}), OutsideRequestError);
  assert.throws(() => transaction([]), OutsideRequestError);
});
