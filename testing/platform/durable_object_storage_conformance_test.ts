// One list of cases, run against the double and inside workerd, in an object with SQLite, so that
// the two cannot drift apart.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { encodeValue } from "./fixtures/encode_value.ts";
import { createObjectStorage } from "./durable_object_storage.ts";
import type { ObjectStorage } from "@framework/cli/runtime";
import { createDatabaseImage } from "./sqlite.ts";

type Case = (storage: ObjectStorage) => unknown;

// Each must stand alone: its source travels into the worker.
const CASES: Record<string, Case> = {
  "get() of nothing": (s) => s.get("none"),
  "put() and get()": async (s) => {
    await s.put("a", { b: [1, "x", null, true] });
    return s.get("a");
  },
  "values keep their types": async (s) => {
    await s.put({
      date: new Date(5),
      map: new Map([["a", 1]]),
      set: new Set([1]),
      bytes: new Uint8Array([1, 255]),
      big: 5n,
      nothing: null,
      sparse: { a: undefined },
    });
    return s.list();
  },
  "values are copies": async (s) => {
    const value = { list: [1] };
    await s.put("a", value);
    value.list.push(2);
    (await s.get<{ list: number[] }>("a"))!.list.push(3);
    return s.get("a");
  },
  "get() of several": async (s) => {
    await s.put({ b: 2, a: 1 });
    return s.get(["b", "none", "a"]);
  },
  "put() of undefined": (s) => s.put("a", undefined),
  "put() of an undefined among several": async (s) => {
    await s.put({ a: 1, b: undefined });
    return s.list();
  },
  "put() of a function": (s) => s.put("a", () => 1).catch((error) => error.name),
  "delete()": async (s) => {
    await s.put("a", 1);
    return [await s.delete("a"), await s.delete("a"), await s.get("a")];
  },
  "delete() of several": async (s) => {
    await s.put({ a: 1, b: 2, c: 3 });
    return [await s.delete(["a", "c", "none"]), await s.list()];
  },
  "list() is in byte order": async (s) => {
    for (const key of ["b", "a", "é", "Z", "ab", "😀", "\uffee"]) await s.put(key, key);
    return [...(await s.list()).keys()];
  },
  "list() by prefix": async (s) => {
    await s.put({ "a:1": 1, "a:2": 2, "b:1": 3 });
    return s.list({ prefix: "a:" });
  },
  "list() by range": async (s) => {
    await s.put({ a: 1, b: 2, c: 3, d: 4 });
    return [
      await s.list({ start: "b", end: "d" }),
      await s.list({ startAfter: "b" }),
      await s.list({ reverse: true, limit: 2 }),
      await s.list({ limit: 1 }),
      await s.list({ start: "b", reverse: true }),
    ];
  },
  "list() with limits that are read as integers": async (s) => {
    await s.put({ a: 1, b: 2, c: 3 });
    return [await s.list({ limit: 1.9 }), await s.list({ limit: "2" as unknown as number })];
  },
  "list() with a limit of less than one": (s) => s.list({ limit: 0.5 }),
  "list() with an infinite limit": (s) => s.list({ limit: Infinity }),
  "list() with a large limit": (s) => s.list({ limit: 1e12 }),
  "list() of null": async (s) => {
    await s.put("a", 1);
    return s.list(null as unknown as undefined);
  },
  "keys become text": async (s) => {
    const any = s as unknown as { [name: string]: (...given: unknown[]) => Promise<unknown> };
    await any["put"]!(5, "five");
    await any["put"]!(null, "none");
    return [
      await s.get("5"),
      await any["get"]!([5, null]),
      await any["delete"]!(5),
      await s.list(),
    ];
  },
  "get() without a key": (s) => (s.get as () => unknown)(),
  "delete() without a key": (s) => (s.delete as () => unknown)(),
  "put() of a list of keys": (s) => s.put(["a"] as never, undefined as never),
  "a large value": (s) => s.put("a", "x".repeat(2_200_000)),
  "list() with limit 0": (s) => s.list({ limit: 0 }),
  "list() with start and startAfter": (s) => s.list({ start: "a", startAfter: "b" }),
  "list() with a negative limit": (s) => s.list({ limit: -1 }),
  "an empty key": async (s) => {
    await s.put("", 1);
    return s.get("");
  },
  "130 at once": async (s) => {
    await s.put(Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`${i}`, i])));
    const keys = [...(await s.list()).keys()];
    return [(await s.get(keys)).size, await s.delete(keys)];
  },
  "deleteAll()": async (s) => {
    await s.put("a", 1);
    s.sql.exec("CREATE TABLE t (a)");
    await s.setAlarm(4_000_000_000_000);
    await s.deleteAll();
    const tables = s.sql.exec("SELECT name FROM sqlite_schema WHERE name = 't'").toArray();
    return [(await s.list()).size, tables, await s.getAlarm()];
  },
  "deleteAll() of a table for full-text search": async (s) => {
    s.sql.exec("CREATE VIRTUAL TABLE f USING fts5(a)");
    s.sql.exec("INSERT INTO f VALUES ('x')");
    await s.deleteAll();
    return s.sql.exec("SELECT name FROM sqlite_schema WHERE name LIKE 'f%'").toArray();
  },
  "deleteAll() in a transaction": (s) => s.transaction(() => s.deleteAll()),
  "deleteAll() of tables that refer to each other": async (s) => {
    s.sql.exec("CREATE TABLE u (id TEXT PRIMARY KEY)");
    s.sql.exec("CREATE TABLE p (id TEXT PRIMARY KEY)");
    s.sql.exec("CREATE TABLE c (p REFERENCES p (id) ON DELETE CASCADE, u REFERENCES u (id))");
    s.sql.exec("INSERT INTO u VALUES ('a')");
    s.sql.exec("INSERT INTO p VALUES ('b')");
    s.sql.exec("INSERT INTO c VALUES ('b', 'a')");
    await s.deleteAll();
    return s.sql.exec("SELECT name FROM sqlite_schema WHERE name IN ('u', 'p', 'c')").toArray();
  },
  "kv": (s) => {
    s.kv.put("a", { b: 1 });
    s.kv.put("c", 2);
    const list = [...s.kv.list({ prefix: "a" })];
    return [s.kv.get("a"), s.kv.get("none"), list, s.kv.delete("a"), s.kv.delete("a")];
  },
  "kv: a list has what is there at each step": (s) => {
    for (const key of ["a", "b", "c", "d"]) s.kv.put(key, key);
    const seen = [];
    for (const [key] of s.kv.list()) {
      seen.push(key);
      if (key === "a") s.kv.delete("b");
      if (key === "a") s.kv.put("e", "e");
    }
    const list = s.kv.list({ reverse: true, limit: 2 });
    return [seen, list instanceof Map, [...list], [...list]];
  },
  "kv: a list ends the one before it": (s) => {
    s.kv.put("a", 1);
    const before = s.kv.list();
    s.kv.list();
    return [...before];
  },
  "kv: undefined is stored": async (s) => {
    s.kv.put("a", undefined);
    return [s.kv.get("a"), await s.list(), s.kv.delete("a")];
  },
  "kv: no value": (s) => (s.kv.put as (key: string) => void)("a"),
  "kv and put() are one": async (s) => {
    s.kv.put("a", 1);
    await s.put("b", 2);
    return [await s.get("a"), s.kv.get("b")];
  },

  "transaction() keeps": async (s) => {
    const result = await s.transaction(async (t) => {
      await t.put("a", 1);
      return t.get("a");
    });
    return [result, await s.get("a")];
  },
  "transaction() that throws": async (s) => {
    s.sql.exec("CREATE TABLE t (a)");
    await s.put("a", 1);
    const thrown = await s.transaction(async (t) => {
      await t.put("a", 2);
      await t.delete("a");
      s.sql.exec("INSERT INTO t VALUES (1)");
      throw new Error("stop");
    }).catch((error) => error.message);
    return [thrown, await s.get("a"), s.sql.exec("SELECT count(*) AS n FROM t").one()];
  },
  "transaction() with rollback()": async (s) => {
    await s.put("a", 1);
    const result = await s.transaction(async (t) => {
      await t.put("a", 2);
      t.rollback();
      return "done";
    });
    return [result, await s.get("a")];
  },
  "a transaction that was rolled back": (s) =>
    s.transaction(async (t) => {
      await t.put("a", 1);
      t.rollback();
      t.rollback();
      const calls = [() => t.get("a"), () => t.put("a", 1), () => t.list(), () => t.delete("a")];
      const messages = [];
      for (const call of calls) {
        const message = await (async () => await call())().catch((error: Error) => error.message);
        messages.push(message);
      }
      return [messages, await s.get("a")];
    }),
  "a transaction after its end": async (s) => {
    const kept = await s.transaction((t) => Promise.resolve({ t }));
    return [
      await kept.t.put("a", 1).catch((error: Error) => error.message),
      await s.get("a"),
      kept.t.rollback(),
    ];
  },
  "alarms of a transaction": async (s) => {
    const seen = await s.transaction(async (t) => {
      await t.setAlarm(4_000_000_000_000);
      return t.getAlarm();
    });
    await s.transaction(async (t) => {
      await t.deleteAlarm();
      t.rollback();
    });
    return [seen, await s.getAlarm(), await s.deleteAlarm()];
  },
  "transactions at the same time": async (s) => {
    await s.put("n", 0);
    const add = () =>
      s.transaction(async (t) => {
        const n = (await t.get<number>("n"))!;
        await t.put("n", n + 1);
      });
    await Promise.all([add(), add(), add()]);
    return s.get("n");
  },
  "a transaction in a transaction": async (s) => {
    await s.transaction(async (t) => {
      await t.put("a", 1);
      await s.transaction(async (inner) => {
        await inner.put("b", 2);
        throw new Error("stop");
      }).catch(() => {});
    });
    return s.list();
  },
  "transactionSync()": (s) => {
    s.sql.exec("CREATE TABLE t (a)");
    const result = s.transactionSync(() => {
      s.sql.exec("INSERT INTO t VALUES (1)");
      return "done";
    });
    let thrown = "";
    try {
      s.transactionSync(() => {
        s.sql.exec("INSERT INTO t VALUES (2)");
        throw new Error("stop");
      });
    } catch (error) {
      thrown = (error as Error).message;
    }
    return [result, thrown, s.sql.exec("SELECT a FROM t").toArray()];
  },

  "alarm": async (s) => {
    const before = await s.getAlarm();
    await s.setAlarm(4_000_000_000_000);
    const set = await s.getAlarm();
    await s.setAlarm(new Date(4_000_000_000_500));
    const moved = await s.getAlarm();
    await s.deleteAlarm();
    return [before, set, moved, await s.getAlarm()];
  },
  "times of alarms": async (s) => {
    const times = [
      ...[4_000_000_000_000.7, new Date(4_000_000_000_001), Date.UTC(2189, 11, 31)],
      ...[Date.UTC(2190, 0), 1e16, 1e17, 0, -1, NaN, Infinity, new Date(NaN)],
      ...["4000000000000", null, undefined, {}],
    ];
    const results = [];
    for (const time of times) {
      const error = await s.setAlarm(time as number).catch((error: Error) => error.message);
      results.push([error, await s.getAlarm()]);
    }
    await s.deleteAlarm();
    return results;
  },
  "an alarm of a transaction that throws": async (s) => {
    await s.transaction(async () => {
      await s.setAlarm(4_000_000_000_000);
      throw new Error("stop");
    }).catch(() => {});
    return s.getAlarm();
  },

  "sql: rows": (s) => s.sql.exec("SELECT 1 AS a, 'x' AS b, NULL AS c").toArray(),
  "sql: parameters": (s) => s.sql.exec("SELECT ? AS a, typeof(?) AS b", 1, "x").one(),
  "sql: blobs": (s) => s.sql.exec("SELECT ? AS a", new Uint8Array([1, 2])).one(),
  "sql: column names": (s) => s.sql.exec("SELECT 1 AS a, 2 AS b").columnNames,
  "sql: iteration": (s) => [...s.sql.exec("VALUES (1), (2)")],
  "sql: next()": (s) => {
    const cursor = s.sql.exec("VALUES (1), (2)");
    return [cursor.next(), cursor.toArray(), cursor.next()];
  },
  "sql: raw()": (s) => [
    s.sql.exec("SELECT 1 AS a, 2 AS a").raw().toArray(),
    [...s.sql.exec("VALUES (1), (2)").raw()],
  ],
  "sql: one() of none": (s) => s.sql.exec("SELECT 1 WHERE 0").one(),
  "sql: one() of two": (s) => s.sql.exec("VALUES (1), (2)").one(),
  "sql: several statements": (s) =>
    s.sql.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1); SELECT a FROM t").toArray(),
  "sql: rows written": (s) => {
    s.sql.exec("CREATE TABLE t (a)");
    return s.sql.exec("INSERT INTO t VALUES (1), (2)").rowsWritten;
  },
  "sql: no such table": (s) => s.sql.exec("SELECT * FROM nope"),
  "sql: a constraint": (s) => {
    s.sql.exec("CREATE TABLE t (a UNIQUE)");
    s.sql.exec("INSERT INTO t VALUES (1), (1)");
  },
  "sql: too few parameters": (s) => s.sql.exec("SELECT ?"),
  "sql: BEGIN": (s) => s.sql.exec("BEGIN"),
  "sql: nothing": (s) => s.sql.exec(""),
  "sql: size": (s) => s.sql.databaseSize > 0,
  "sql: undefined": (s) => s.sql.exec("SELECT ? AS a", undefined).one(),
  "sql: null": (s) => s.sql.exec("SELECT ? AS a", null).one(),
  "sql: true": (s) => s.sql.exec("SELECT ? AS a, typeof(?) AS t", true, true).one(),
  "sql: an integer": (s) => s.sql.exec("SELECT ? AS a, typeof(?) AS t", 5, 5).one(),
  "sql: a fraction": (s) => s.sql.exec("SELECT ? AS a", 0.5).one(),
  "sql: NaN": (s) => s.sql.exec("SELECT ? AS a, typeof(?) AS t", NaN, NaN).one(),
  "sql: an infinity": (s) => s.sql.exec("SELECT ? AS a, typeof(?) AS t", Infinity, -Infinity).one(),
  "sql: bigint": (s) => s.sql.exec("SELECT ? AS a, typeof(?) AS t", 5n, 5n).one(),
  "sql: a date": (s) => s.sql.exec("SELECT ? AS a", new Date(0)).one(),
  "sql: an object": (s) => s.sql.exec("SELECT ? AS a", { b: 1 }).one(),
  "sql: a list": (s) => s.sql.exec("SELECT ? AS a", [1, 2]).one(),
  "sql: a buffer": (s) => s.sql.exec("SELECT ? AS a", new Uint8Array([1, 2]).buffer).one(),
  "sql: views of buffers": (s) => [
    s.sql.exec("SELECT ? AS a", new Uint16Array([1, 258])).one(),
    s.sql.exec("SELECT ? AS a", new DataView(new Uint8Array([1, 2, 3]).buffer, 1)).one(),
  ],
  "sql: a symbol": (s) => s.sql.exec("SELECT ? AS a", Symbol("x")).one(),
  "sql: infinities and a negative zero as results": (s) => {
    const { a, b, c } = s.sql.exec<Record<string, number>>("SELECT 1e999 a, -1e999 b, -0.0 c")
      .one();
    return [String(a), String(b), Object.is(c, -0)];
  },
  "sql: VACUUM": (s) => s.sql.exec("VACUUM"),
  "sql: large integers": (s) => s.sql.exec("SELECT 9223372036854775807 AS a").one(),
};

/** Outcome of a case, or its error's message. */
async function outcome(run: Case, storage: ObjectStorage): Promise<unknown> {
  try {
    return encodeValue(await run(storage));
  } catch (error) {
    return { error: (error as Error).message.replace(/ at offset \d+/, "") };
  }
}

async function onDouble(run: Case): Promise<unknown> {
  const sqlite = createDatabaseImage([]).open();
  try {
    // As JSON, in which the other one comes.
    return JSON.parse(JSON.stringify(await outcome(run, createObjectStorage(() => sqlite))));
  } finally {
    sqlite.close();
  }
}

Deno.test({
  name: "createObjectStorage() answers every case as an object in workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const miniflare = new Miniflare({
      modules: true,
      script: `import { DurableObject } from "cloudflare:workers";
        ${encodeValue.toString()}
        ${outcome.toString()}
        const CASES = [${Object.values(CASES).map((run) => run.toString()).join(",\n")}];
        export class Subject extends DurableObject {
          async fetch(request) {
            const index = Number(new URL(request.url).pathname.slice(1));
            return Response.json(await outcome(CASES[index], this.ctx.storage));
          }
          alarm() {}
        }
        export default { fetch: (request, env) => env.SUBJECT.getByName(request.url).fetch(request) };`,
      compatibilityDate: "2026-08-01",
      durableObjects: { SUBJECT: { className: "Subject", useSQLite: true } },
    });
    try {
      for (const [index, [name, run]] of Object.entries(CASES).entries()) {
        await t.step(name, async () => {
          const response = await miniflare.dispatchFetch(`http://localhost/${index}`);
          assert.deepEqual(await onDouble(run), await response.json());
        });
      }
    } finally {
      await miniflare.dispose();
    }
  },
});
