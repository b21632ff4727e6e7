// What is asked of every client in whose transaction somebody is signed up.
import assert from "node:assert/strict";
import {
  createAuth,
  createUser,
  type Join,
  type JoinedQuery,
  joinTransaction,
  passwords,
  startSession,
  StorageUnavailableError,
  UserExistsError,
} from "@framework/auth";
import type { SqlDatabase } from "@framework/auth/storage";

/** A client of the application, as docs/databases.md shows it. */
export interface Client {
  /** Runs work in a transaction of the client: what it is given runs a statement there. */
  transaction<T>(
    work: (query: JoinedQuery, run: (text: string) => Promise<unknown>) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
  /** True when it takes a transaction back after any statement that the server refused, whoever caught the error. */
  takesBack?: boolean;
  /** Cases that are not for it, and why. */
  without?: Readonly<Record<string, string>>;
}

/** A database with the tables of the library, as the cases need it. */
export interface Ground {
  /** The library's. */
  database: SqlDatabase;
  /** The same with limits of half a second. */
  strict: SqlDatabase;
  /** Runs a statement on a connection of the test's own. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  /** Leaves no rows, and a table of profiles. */
  empty(): Promise<void>;
  /** Statements with which the database refuses a user called Eve, in words that have "no_eve" in them. */
  noEve: { make: string; remove: string };
  /** Ends the connections that have a transaction open. */
  endTransactions(): Promise<void>;
  /** Makes each statement or each insertion of a user take a second. */
  slow: { begin(): Promise<unknown>; wait(): Promise<unknown>; end(): Promise<unknown> };
}

interface Place extends Ground {
  client: Client;
  events: string[];
  /** Runs in a request. */
  visit(work: () => Promise<unknown>, over?: SqlDatabase): Promise<void>;
  /** Ids of the users and of the owners of profiles. */
  rows(): Promise<{ users: string[]; profiles: string[] }>;
}

const CASES: Record<string, (place: Place) => Promise<void>> = {
  async "a user with the application's rows, of whom is told after the commit"(place) {
    const { client, events, visit, rows } = place;
    await visit(async () => {
      const user = await joinTransaction((join) =>
        client.transaction(async (query, run) => {
          const user = await createUser({
            id: "ada",
            email: "Ada@Example.com",
            emailVerified: new Date(1_700_000_000_000),
            roles: ["editor"],
          }, { within: join(query) });
          await run("INSERT INTO profiles VALUES ('ada')");
          assert.deepEqual(await rows(), { users: [], profiles: [] });
          assert.deepEqual(events, []);
          return user;
        })
      );
      await startSession(user.id);
    });
    assert.deepEqual(await rows(), { users: ["ada"], profiles: ["ada"] });
    assert.deepEqual(events, ["sign-up", "sign-in"]);
    const [stored] = await place.ask(
      "SELECT email_identity, email_verified, created_at = updated_at AS same, name, user_roles.role FROM users JOIN user_roles ON user_id = id",
    );
    const { email_verified: verified, same, ...others } = stored!;
    assert.deepEqual([Number(verified), Boolean(same), others], [1_700_000_000_000, true, {
      email_identity: "ada@example.com",
      name: null,
      role: "editor",
    }]);
  },

  async "nothing of a transaction that is taken back"({ client, events, visit, rows }) {
    await visit(() =>
      assert.rejects(
        joinTransaction((join) =>
          client.transaction(async (query) => {
            await createUser({ id: "ada" }, { within: join(query) });
            throw new Error("no profile");
          })
        ),
        /no profile/,
      )
    );
    assert.deepEqual(await rows(), { users: [], profiles: [] });
    assert.deepEqual(events, []);
  },

  async "a transaction that goes on after a user who is there"({ client, events, visit, rows }) {
    await visit(async () => {
      await createUser({ id: "ada", email: "ada@example.com" });
      await joinTransaction((join) =>
        client.transaction(async (query, run) => {
          const within = join(query);
          const taken = createUser({ email: "ADA@example.com" }, { within });
          await assert.rejects(taken, UserExistsError);
          await createUser({ id: "bob" }, { within });
          await run("INSERT INTO profiles VALUES ('bob')");
        })
      );
    });
    assert.deepEqual(await rows(), { users: ["ada", "bob"], profiles: ["bob"] });
    assert.deepEqual(events, ["sign-up", "sign-up"]);
  },

  async "a user whom a constraint of the application refuses, and what comes after"(place) {
    const { ask, client, events, visit, rows, noEve } = place;
    await ask(noEve.make);
    try {
      await visit(async () => {
        const joined = joinTransaction((join) =>
          client.transaction(async (query, run) => {
            const within = join(query);
            // PostgreSQL takes no statement after it but for the savepoint.
            await assert.rejects(
              createUser({ id: "eve", name: "Eve" }, { within }),
              (error: Error) => /no_eve/.test(`${error} ${error.cause}`),
            );
            await createUser({ id: "bob" }, { within });
            await run("INSERT INTO profiles VALUES ('bob')");
          })
        );
        if (client.takesBack) await assert.rejects(joined, /no_eve/);
        else await joined;
      });
    } finally {
      await ask(noEve.remove);
    }
    const made = client.takesBack ? [] : ["bob"];
    assert.deepEqual(await rows(), { users: made, profiles: made });
    assert.deepEqual(events, made.map(() => "sign-up"));
  },

  async "nothing of a transaction whose connection is ended before the commit"(place) {
    const { client, endTransactions, events, visit, rows } = place;
    await visit(async () => {
      await assert.rejects(joinTransaction((join) =>
        client.transaction(async (query, run) => {
          const within = join(query);
          await createUser({ id: "ada" }, { within });
          await endTransactions();
          // Once, and at once: another try would be on another connection, outside of the transaction.
          await assert.rejects(createUser({ id: "bob" }, { within }), StorageUnavailableError);
          await run("SELECT 1");
        })
      ));
      await createUser({ id: "ada" });
    });
    assert.deepEqual(await rows(), { users: ["ada"], profiles: [] });
    assert.deepEqual(events, ["sign-up"]);
  },

  async "one of two who sign up at once for a mailbox"({ client, events, visit, rows }) {
    const email = "ada@example.com";
    await visit(async () => {
      let begun = () => {};
      const first = new Promise<void>((resolve) => begun = resolve);
      const signUp = (id: string, then: () => Promise<void>) =>
        joinTransaction((join: Join) =>
          client.transaction(async (query) => {
            if (id === "second") await first;
            await createUser({ id, email }, { within: join(query) });
            await then();
          })
        );
      const second = signUp("second", () => Promise.resolve());
      const results = await Promise.allSettled([
        signUp("first", () => Promise.resolve(begun())),
        second,
      ]);
      assert.equal(results[0]!.status, "fulfilled");
      assert.ok((results[1] as PromiseRejectedResult).reason instanceof UserExistsError);
    });
    assert.deepEqual((await rows()).users, ["first"]);
    assert.deepEqual(events, ["sign-up"]);
  },

  async "a user whose insertion takes longer than every limit of the library's, in one try"(place) {
    const { client, rows, slow, strict, visit } = place;
    const ran: string[] = [];
    await slow.begin();
    try {
      await visit(() =>
        joinTransaction((join) =>
          client.transaction(async (query) => {
            const within = join(async (statement) => {
              ran.push(statement.text.split(/[\s(]+/).slice(0, 2).join(" "));
              await slow.wait();
              return await query(statement);
            });
            await createUser({ id: "ada" }, { within });
          })
        ), strict);
    } finally {
      await slow.end();
    }
    assert.deepEqual(ran, ["SAVEPOINT framework_auth", "INSERT INTO", "RELEASE SAVEPOINT"]);
    assert.deepEqual((await rows()).users, ["ada"]);
  },
};

/** Asks a client whatever is asked of every one. */
export async function testJoined(
  test: Deno.TestContext,
  { client, ground }: { client: Client; ground: Ground },
): Promise<void> {
  const { ask, database } = ground;
  const quiet = { info() {}, warn() {}, error() {} };
  for (const [what, check] of Object.entries(CASES)) {
    if (client.without !== undefined && what in client.without) continue;
    await ground.empty();
    const events: string[] = [];
    const authOf = (over: SqlDatabase) =>
      createAuth({
        database: over,
        baseUrl: "https://app.example",
        cookies: { sessionToken: { hostOnly: true } },
        logger: quiet,
        events: { "*": ({ type }) => void events.push(type) },
      });
    await test.step(what, () =>
      check({
        ...ground,
        client,
        events,
        async visit(work, over = database) {
          const request = new Request("https://app.example/");
          const response = await authOf(over).run(request, {}, undefined, async () => {
            await work();
            return new Response();
          });
          // It answers errors of the library that the work throws.
          assert.equal(response.status, 200, await response.text());
        },
        async rows() {
          const ids = async (sql: string) => (await ask(sql)).map(({ id }) => String(id));
          return {
            users: await ids("SELECT id FROM users ORDER BY 1"),
            profiles: await ids("SELECT user_id AS id FROM profiles ORDER BY 1"),
          };
        },
      }).then(() => {}));
  }
  await client.close();
}

/** The trigger of docs/databases.md that stores a row with every user, by the database. */
export async function documentedTrigger(
  dialect: "SQLite" | "PostgreSQL" | "MariaDB",
): Promise<string> {
  const page = await Deno.readTextFile(new URL("../../docs/databases.md", import.meta.url));
  return new RegExp(`\n\`\`\`sql\n(-- ${dialect}\n[^]*?)\`\`\``).exec(page)![1]!;
}

/** Signs up at `/auth/signup`, and returns the status. */
export async function signUp(database: SqlDatabase, email: string): Promise<number> {
  const auth = createAuth({
    database,
    baseUrl: "https://app.example",
    cookies: { sessionToken: { hostOnly: true } },
    logger: { info() {}, warn() {}, error() {} },
    providers: [passwords({ sendMail() {}, verification: "later" })],
  });
  const request = new Request("https://app.example/auth/signup", {
    method: "POST",
    headers: { origin: "https://app.example" },
    body: new URLSearchParams({ email, password: "four words in a row", name: "Ada" }),
  });
  const response = await auth.handle(request, {}, { clientAddress: "203.0.113.1" })
    .catch(() => new Response(null, { status: 500 }));
  await response!.body?.cancel();
  return response!.status;
}
