import { issueSession, readSession } from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { findPostgres } from "../postgres.ts";
import { proveExactness } from "./clusters.ts";
import { endedStatement, fillStatements, knownVisitors, SQLITE_ROWS } from "./many_sessions.ts";
import { scaleAuth } from "./programs/scale.ts";
import { makeScaleDatabases } from "./scale_databases.ts";
import { measureQuantiles } from "./sections/scale.ts";
import type { Participant } from "./runtimes.ts";

const ORIGIN = "https://app.example";

function requestWith(cookie: string): Request {
  return new Request(ORIGIN, { headers: { cookie } });
}

Deno.test("knownVisitors() signs people in by sessions of the many, and adds none", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  for (const sql of fillStatements({ users: 20, sessions: 100 }, SQLITE_ROWS)) file.exec(sql);
  const database = sqlite(file);
  const auth = scaleAuth(database);
  const visitors = await knownVisitors(auth, database, { users: 20, count: 10 });
  assert.deepEqual(visitors.map(({ userId }) => userId).slice(0, 3), ["u1", "u3", "u5"]);
  for (const { userId, cookie } of visitors) {
    assert.equal((await readSession(auth, requestWith(cookie), {}))?.user.id, userId);
  }
  const count = () => file.prepare("SELECT count(*) AS count FROM sessions").get()!.count;
  assert.equal(count(), 100);
  file.exec(endedStatement(30, { users: 20 }, SQLITE_ROWS));
  assert.equal(await auth.storage({}).sweep(Date.now(), 500), 30);
  assert.equal(count(), 100);
});

Deno.test({
  name: "makeScaleDatabases() makes the same rows in SQLite and in PostgreSQL",
  // On machines without it the other tests of PostgreSQL are skipped, too.
  ignore: await findPostgres() === null,
  async fn() {
    const few = { users: 5, sessions: 10 };
    const many = { users: 8, sessions: 40 };
    await using made = await makeScaleDatabases({ few, many });
    for (const [name, size] of Object.entries({ few, many })) {
      const { visitors, ...places } = made.databases[name as "few" | "many"];
      using file = new DatabaseSync(places.sqlite);
      const pool = new pg.Pool({ connectionString: places.postgres, max: 2 });
      const both = [[sqlite(file), visitors.sqlite], [postgres(pool), visitors.postgres]] as const;
      try {
        for (const [database, known] of both) {
          const found = await database.prepare("SELECT count(*) AS count FROM sessions").first();
          assert.equal(Number((found as { count: number }).count), size.sessions);
          const auth = scaleAuth(database);
          assert.equal(known.length, size.users);
          for (const { userId, cookie } of known) {
            assert.equal((await readSession(auth, requestWith(cookie), {}))?.user.id, userId);
          }
          await issueSession(auth, known[0]!.userId, {});
        }
      } finally {
        await pool.end();
      }
    }
  },
});

Deno.test("measureQuantiles() gives half and 99 of 100, and every round as many jobs as fill its time", async () => {
  const orders: number[] = [];
  const participant: Participant = {
    name: "it",
    carryOut({ jobs, each }) {
      orders.push(jobs);
      assert.equal(each, true);
      const times = Array.from({ length: jobs }, (_, index) => index === 0 ? 5000 : 100);
      return Promise.resolve({ microseconds: 0, batch: 1, heap: null, times });
    },
  };
  const found = await measureQuantiles([participant], { rounds: 3, milliseconds: 5 });
  assert.deepEqual(found.get("it")!.half.rounds, [100, 100, 100]);
  assert.deepEqual(found.get("it")!.most.rounds, [5000, 5000, 5000]);
  assert.deepEqual(orders.slice(-4), [50, 50, 50, 50]);
});

/** Processes over one state, each of which may have its fault. */
function serveTwo(
  { keeps = false, redeemsTwice = false }: { keeps?: boolean; redeemsTwice?: boolean },
) {
  const sessions = new Set<string>();
  const tokens = new Set<string>();
  const ended = new Set<string>();
  const servers = [0, 1].map((index) =>
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url, headers }) => {
      const { pathname, searchParams } = new URL(url);
      const cookie = headers.get("cookie") ?? "";
      const remembers = keeps && index === 1 && ended.has(cookie);
      if (pathname === "/begin") {
        const name = crypto.randomUUID();
        sessions.add(name);
        tokens.add(name);
        return Response.json({ cookie: name, token: name });
      }
      if (pathname === "/end") {
        sessions.delete(cookie);
        ended.add(cookie);
      }
      if (pathname === "/check") {
        return new Response(null, { status: sessions.has(cookie) || remembers ? 200 : 401 });
      }
      if (pathname !== "/redeem") return new Response();
      const token = searchParams.get("token")!;
      const isThere = tokens.has(token);
      if (!redeemsTwice) tokens.delete(token);
      return new Response(null, { status: isThere ? 200 : 409 });
    })
  );
  return {
    ports: servers.map(({ addr }) => addr.port),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

Deno.test("proveExactness() counts right answers, and throws at a session that outlives its end and a token that opens twice", async () => {
  await using exact = serveTwo({});
  let turns = 0;
  assert.deepEqual(await proveExactness(exact.ports, () => ++turns === 3), {
    ended: 3,
    redeemed: 3,
  });
  await using lax = serveTwo({ keeps: true });
  await assert.rejects(
    proveExactness(lax.ports, () => true),
    /A session that has ended: the processes answered 401, 200/,
  );
  await using twice = serveTwo({ redeemsTwice: true });
  await assert.rejects(
    proveExactness(twice.ports, () => true),
    /A single-use token: the processes answered 200, 200/,
  );
});
