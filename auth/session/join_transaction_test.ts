import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { ConfigurationError, OutsideRequestError, UserExistsError } from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { authSchema } from "../storage/schema.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { JoinedStatement } from "../storage/transactions.ts";
import { type Join, joinTransaction } from "./join_transaction.ts";
import { startSession } from "./operations.ts";
import { createUser } from "./users.ts";

interface Place {
  /** The application's own connection. */
  own: DatabaseSync;
  /** Statements that the library ran on it. */
  ran: JoinedStatement[];
  /** Events that were told, each with the rows of users that were committed at that moment. */
  events: string[];
  /** Runs in a request. */
  visit(work: () => Promise<unknown>): Promise<Response>;
  /** The `within` of the application's connection. */
  joinOwn(join: Join): ReturnType<Join>;
  /** Ids of users and owners of profiles, as another connection sees them. */
  rows(): { users: unknown[]; profiles: unknown[] };
}

/** Runs a test with a file, the library's connection to it and one of the application. */
async function withFile(test: (place: Place) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-join-" });
  const [library, own] = [1, 2].map(() => new DatabaseSync(`${folder}/app.db`)) as [
    DatabaseSync,
    DatabaseSync,
  ];
  try {
    library.exec(`${authSchema.up}; CREATE TABLE profiles (user_id TEXT UNIQUE)`);
    const ran: JoinedStatement[] = [];
    const events: string[] = [];
    const ids = (sql: string) => library.prepare(sql).all().map(({ id }) => id);
    const auth = createAuth({
      database: sqlite(library),
      baseUrl: "https://app.example",
      logger: { info() {}, warn() {}, error() {} },
      events: {
        "*": ({ type }) => void events.push(`${type} of ${ids("SELECT id FROM users")}`),
      },
    });
    await test({
      own,
      ran,
      events,
      async visit(work) {
        const behind: Promise<unknown>[] = [];
        const info = { waitUntil: (one: Promise<unknown>) => void behind.push(one) };
        const response = await auth.run(new Request("https://app.example/"), {}, info, async () => {
          await work();
          return new Response();
        });
        await Promise.all(behind);
        // It answers errors of the library that the work throws.
        assert.equal(response.status, 200);
        return response;
      },
      joinOwn: (join) =>
        join((statement) => {
          ran.push(statement);
          return own.prepare(statement.text).all(...statement.values as string[]);
        }),
      rows: () => ({
        users: ids("SELECT id FROM users ORDER BY id"),
        profiles: ids("SELECT user_id AS id FROM profiles ORDER BY 1"),
      }),
    });
  } finally {
    if (own.isOpen) own.close();
    library.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("joinTransaction() stores a user with the application's rows, and tells of it after the commit", () =>
  withFile(async ({ own, ran, events, visit, joinOwn, rows }) => {
    const response = await visit(async () => {
      const user = await joinTransaction(async (join) => {
        own.exec("BEGIN");
        const user = await createUser({ id: "ada", email: "Ada@Example.com", role: "editor" }, {
          within: joinOwn(join),
        });
        own.prepare("INSERT INTO profiles VALUES (?)").run(user.id);
        assert.deepEqual(rows(), { users: [], profiles: [] });
        assert.deepEqual(events, []);
        own.exec("COMMIT");
        return user;
      });
      await startSession(user.id);
    });
    assert.deepEqual(rows(), { users: ["ada"], profiles: ["ada"] });
    assert.deepEqual(events, ["sign-up of ada", "sign-in of ada"]);
    assert.equal(response.headers.getSetCookie().length, 1);
    // Nothing of its own begins or ends a transaction, and no statement comes twice.
    assert.deepEqual(ran.map(({ text }) => text.split(/[\s(]+/).slice(0, 3).join(" ")), [
      "SAVEPOINT framework_auth",
      "INSERT INTO users",
      "RELEASE SAVEPOINT framework_auth",
    ]);
    const insertion = ran[1]!;
    assert.equal(insertion.values.length, insertion.text.split("?").length - 1);
    assert.equal(insertion.strings.join("?"), insertion.text);
    assert.equal(
      own.prepare("SELECT email_identity FROM users").get()!["email_identity"],
      "ada@example.com",
    );
  }));

Deno.test("joinTransaction() leaves and tells nothing when the application takes its transaction back", () =>
  withFile(async ({ own, events, visit, joinOwn, rows }) => {
    await visit(async () => {
      await assert.rejects(
        joinTransaction(async (join) => {
          own.exec("BEGIN");
          await createUser({ id: "ada" }, { within: joinOwn(join) });
          own.exec("ROLLBACK");
          throw new Error("no profile");
        }),
        /no profile/,
      );
      // Without a word: by COMMIT, PostgreSQL does so to a transaction that had an error.
      const user = await joinTransaction(async (join) => {
        own.exec("BEGIN");
        const user = await createUser({ id: "ada" }, { within: joinOwn(join) });
        own.exec("ROLLBACK");
        return user;
      });
      assert.equal(user.id, "ada");
    });
    assert.deepEqual(rows(), { users: [], profiles: [] });
    assert.deepEqual(events, []);
  }));

Deno.test("joinTransaction() lets no session begin before the transaction is over, and sends no cookie for it", () =>
  withFile(async ({ own, events, visit, joinOwn, rows }) => {
    await visit(() => createUser({ id: "bob" }));
    for (const userId of ["ada", "bob"]) {
      const response = await visit(async () => {
        await assert.rejects(
          joinTransaction(async (join) => {
            own.exec("BEGIN");
            try {
              await createUser({ id: "ada" }, { within: joinOwn(join) });
              await startSession(userId);
            } finally {
              own.exec("ROLLBACK");
            }
          }),
          (error) =>
            error instanceof ConfigurationError && /after joinTransaction\(\)/.test(error.message),
        );
      });
      assert.deepEqual(response.headers.getSetCookie(), []);
      assert.equal(own.prepare("SELECT count(*) AS n FROM sessions").get()!["n"], 0);
    }
    assert.deepEqual(rows().users, ["bob"]);
    // Not even where another one of the request is over.
    await visit(() =>
      joinTransaction(async () => {
        await joinTransaction(() => Promise.resolve());
        await assert.rejects(startSession("bob"), ConfigurationError);
      })
    );
    // One that is over, well or not, is in nobody's way.
    const response = await visit(async () => {
      await assert.rejects(joinTransaction(() => Promise.reject(new Error("no"))), /no/);
      await startSession("bob");
    });
    assert.equal(response.headers.getSetCookie().length, 1);
    assert.deepEqual(events.map((event) => event.split(" ")[0]), ["sign-up", "sign-in"]);
  }));

Deno.test("joinTransaction() leaves the application's transaction usable after a user who is refused", () =>
  withFile(async ({ own, events, visit, joinOwn, rows }) => {
    await visit(async () => {
      await createUser({ id: "ada", email: "ada@example.com" });
      await joinTransaction(async (join) => {
        own.exec("BEGIN");
        const within = joinOwn(join);
        own.prepare("INSERT INTO profiles VALUES ('ada')").run();
        await assert.rejects(createUser({ email: "ADA@example.com" }, { within }), UserExistsError);
        await assert.rejects(createUser({ id: "ada" }, { within }), UserExistsError);
        await createUser({ id: "bob" }, { within });
        own.exec("COMMIT");
      });
    });
    assert.deepEqual(rows(), { users: ["ada", "bob"], profiles: ["ada"] });
    assert.deepEqual(events.map((event) => event.split(" ")[0]), ["sign-up", "sign-up"]);
  }));

Deno.test("joinTransaction() tells once of what the application's second try made", () =>
  withFile(async ({ own, events, visit, joinOwn, rows }) => {
    await visit(() =>
      joinTransaction(async (join) => {
        for (const end of ["ROLLBACK", "COMMIT"]) {
          own.exec("BEGIN");
          await createUser({ id: "ada" }, { within: joinOwn(join) });
          own.exec(end);
        }
      })
    );
    assert.deepEqual(rows().users, ["ada"]);
    assert.deepEqual(events, ["sign-up of ada"]);
  }));

Deno.test("joinTransaction() leaves and tells nothing when the connection ends before the commit", () =>
  withFile(async ({ own, events, visit, joinOwn, rows }) => {
    await visit(async () => {
      await assert.rejects(joinTransaction(async (join) => {
        own.exec("BEGIN");
        const within = joinOwn(join);
        await createUser({ id: "ada" }, { within });
        own.close();
        await createUser({ id: "bob" }, { within });
      }));
      await createUser({ id: "ada" });
    });
    assert.deepEqual(rows().users, ["ada"]);
    assert.deepEqual(events, ["sign-up of ada"]);
  }));

Deno.test("joinTransaction() tells nothing of a commit whose answer is lost, and the user is there", () =>
  withFile(async ({ own, events, visit, joinOwn, rows }) => {
    const signUp = () =>
      joinTransaction(async (join) => {
        own.exec("BEGIN");
        try {
          await createUser({ id: "ada" }, { within: joinOwn(join) });
        } catch (error) {
          own.exec("ROLLBACK");
          throw error;
        }
        own.exec("COMMIT");
        throw new Error("The connection was lost");
      });
    await visit(async () => {
      await assert.rejects(signUp(), /connection was lost/);
      await assert.rejects(signUp(), UserExistsError);
    });
    assert.deepEqual(rows().users, ["ada"]);
    assert.deepEqual(events, []);
  }));

Deno.test("joinTransaction() refuses a user for a transaction that has ended", () =>
  withFile(async ({ own, ran, visit, joinOwn }) => {
    await visit(async () => {
      own.exec("BEGIN");
      const within = await joinTransaction((join) => Promise.resolve(joinOwn(join)));
      await assert.rejects(createUser({ id: "ada" }, { within }), ConfigurationError);
      assert.deepEqual(ran, []);
    });
  }));

Deno.test("joinTransaction() throws typed errors without a SQL database, and without a request", async () => {
  await assert.rejects(joinTransaction(() => Promise.resolve()), OutsideRequestError);
  const auth = createAuth({ database: createMemoryStorage() });
  await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
    await assert.rejects(joinTransaction(() => Promise.resolve()), ConfigurationError);
    return new Response();
  });
});
