import { createAuth, passwords } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import {
  createMemoryStorage,
  createSqlStorage,
  groupOf,
  passwordGroup,
  StorageUnavailableError,
} from "@framework/auth/storage";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createTestContext } from "../context/test_context.ts";
import { record } from "../storage/records.ts";
import { createFaultDoubles } from "./fault_doubles.ts";

/** A store of an application's own, which counts in a private field. */
class Counter {
  #count: number;
  constructor(count = 0) {
    this.#count = count;
  }
  add(): Promise<number> {
    return Promise.resolve(++this.#count);
  }
  read(): Promise<number> {
    return Promise.resolve(this.#count);
  }
  copy(): Counter {
    return new Counter(this.#count);
  }
}

const lost = (operation: string) => new Error(`lost: ${operation}`);

Deno.test("storage() of fault doubles is slow, down, or loses its answer after its work", async () => {
  const faults = createFaultDoubles();
  const counter = new Counter();
  const faulty = faults.storage("counter", counter, { error: lost });
  {
    using down = faults.begin({ storage: "down" });
    await assert.rejects(faulty.add(), /lost: add/);
    assert.equal(down.count, 1);
    assert.equal(await counter.read(), 0);
  }
  {
    using _ = faults.begin({ storage: { counter: "answer lost" }, times: 1 });
    await assert.rejects(faulty.add(), /lost: add/);
    assert.equal(await faulty.read(), 1);
  }
  {
    using _ = faults.begin({ storage: "slow", delay: 20 });
    const begun = performance.now();
    assert.equal(await faulty.add(), 2);
    assert.ok(performance.now() - begun >= 20);
  }
  assert.equal(await faulty.add(), 3);
});

Deno.test("storage() of fault doubles reads what was stored when the fault began", async () => {
  const faults = createFaultDoubles();
  const counter = new Counter();
  const faulty = faults.storage("counter", counter, {
    reads: ["read"],
    copy: () => counter.copy(),
  });
  await faulty.add();
  using stale = faults.begin({ storage: "stale" });
  assert.equal(await faulty.add(), 2);
  assert.equal(await faulty.read(), 1);
  stale.heal();
  assert.equal(await faulty.read(), 2);
});

Deno.test("storage() of fault doubles takes a storage of the library with its groups", async () => {
  const faults = createFaultDoubles();
  const storage = faults.storage("users", createMemoryStorage());
  await storage.createUser(record({ id: "ada" }));
  const passwords = groupOf(storage, passwordGroup);
  const change = { userId: "ada", hash: "new", changedAt: 1 };
  using _ = faults.begin({ storage: "answer lost", times: 1 });
  await assert.rejects(passwords.setPassword(change), StorageUnavailableError);
  assert.equal((await passwords.readPassword("ada"))?.hash, "new");
});

Deno.test("storage() of fault doubles takes a SQL database, whose lost answers the library asks for again", async () => {
  const faults = createFaultDoubles();
  const database = sqlite(new DatabaseSync(":memory:"));
  const faulty = faults.storage("users", database);
  await faulty.migrate!();
  const storage = createSqlStorage(faulty);
  await storage.createUser(record({ id: "ada" }));
  {
    using once = faults.begin({ storage: "answer lost", times: 1 });
    assert.equal((await storage.getUser("ada"))?.id, "ada");
    assert.equal(once.count, 1);
  }
  {
    using _ = faults.begin({ storage: "down" });
    await assert.rejects(storage.getUser("ada"), StorageUnavailableError);
    await assert.rejects(faulty.prepare("SELECT 1").run(), /Network connection lost/);
  }
  assert.equal((await storage.getUser("ada"))?.id, "ada");
});

Deno.test("storage() of fault doubles reads a SQL database as its replica does, and writes to itself", async () => {
  const faults = createFaultDoubles();
  const open = () => {
    const file = new DatabaseSync(":memory:");
    file.exec("CREATE TABLE notes (text TEXT)");
    return file;
  };
  const file = open();
  const faulty = faults.storage("notes", sqlite(file), {
    copy() {
      const older = open();
      for (const { text } of file.prepare("SELECT text FROM notes").all()) {
        older.prepare("INSERT INTO notes VALUES (?)").run(text as string);
      }
      return sqlite(older);
    },
  });
  const add = (text: string) => faulty.prepare("INSERT INTO notes VALUES (?1)").bind(text).run();
  const read = async () =>
    (await faulty.prepare("SELECT text FROM notes").all<{ text: string }>()).results
      .map(({ text }) => text);
  await add("old");
  using stale = faults.begin({ storage: { notes: "stale" } });
  await add("new");
  assert.deepEqual(await read(), ["old"]);
  stale.heal();
  assert.deepEqual(await read(), ["old", "new"]);
});

Deno.test("fetch() of fault doubles fails before or after the other server did its work, or is slow", async () => {
  const faults = createFaultDoubles();
  let asked = 0;
  const send = faults.fetch(() => Promise.resolve(new Response(String(++asked))));
  const ask = async () => await (await send("https://rates.example/")).text();
  {
    using _ = faults.begin({ network: "down" });
    await assert.rejects(ask(), { name: "TypeError", message: "Network connection lost." });
    assert.equal(asked, 0);
  }
  {
    using _ = faults.begin({ network: "answer lost" });
    await assert.rejects(ask(), TypeError);
    assert.equal(asked, 1);
  }
  {
    using _ = faults.begin({ network: "slow", delay: 10 });
    const begun = performance.now();
    assert.equal(await ask(), "2");
    assert.ok(performance.now() - begun >= 10);
  }
});

Deno.test("now() of fault doubles is ahead or behind", () => {
  const faults = createFaultDoubles();
  const now = faults.now(() => 1000);
  using _ = faults.begin({ clockSkew: -500 });
  assert.equal(now(), 500);
});

Deno.test("fault doubles have an application answer 503, and work once they are healed", async () => {
  const faults = createFaultDoubles();
  const auth = createAuth({
    database: faults.storage("users", createMemoryStorage()),
    baseUrl: "https://app.example",
    secret: "a secret of at least thirty-two bytes",
    providers: [passwords({ sendMail: () => {} })],
  });
  await using ctx = await createTestContext({
    cwd: import.meta.dirname!,
    handler: (request: Request) => auth.fetch(request),
    origin: "https://app.example",
  });
  const signIn = () =>
    ctx.fetch("/auth/signin/passwords", {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams({ email: "ada@example.com", password: "a few words" }),
    });
  {
    using _ = faults.begin({ storage: "down" });
    assert.equal((await signIn()).status, 503);
  }
  assert.equal((await signIn()).status, 401);
});

Deno.test("fault doubles of an application that catches nothing are no failure of the test", async () => {
  const faults = createFaultDoubles();
  const counter = faults.storage("counter", new Counter());
  await using ctx = await createTestContext({
    cwd: import.meta.dirname!,
    handler: async () => Response.json(await counter.add()),
  });
  {
    using _ = faults.begin({ storage: "answer lost" });
    assert.equal((await ctx.fetch("/")).status, 500);
  }
  assert.equal(await (await ctx.fetch("/")).json(), 2);
});

Deno.test("fault doubles refuse what would have no effect", () => {
  const faults = createFaultDoubles();
  const wrong = (options: Parameters<typeof faults.begin>[0], message: RegExp) =>
    assert.throws(() => faults.begin(options), { code: "OPTIONS", message });
  wrong({ storage: "down" }, /nothing that stores was given to storage\(\)/);
  faults.storage("counter", new Counter());
  wrong({ storage: "stale" }, /nothing here reads older data/);
  wrong({ storage: { counter: "stale" } }, /counter never reads older data/);
  wrong({ storage: { users: "down" } }, /the name "users"\. Pass one of counter/);
  assert.throws(() => faults.storage("counter", new Counter()), { code: "OPTIONS" });
});
