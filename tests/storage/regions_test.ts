// What a database in another region costs: how often each operation waits for it, as docs/scaling.md says.
import assert from "node:assert/strict";
import { join } from "node:path";
import { mariadb } from "@framework/auth/mariadb";
import { postgres } from "@framework/auth/postgres";
import {
  createMemoryRateLimitStorage,
  createSqlRateLimitStorage,
  createValkeyRateLimitStorage,
  type RateLimitStorage,
} from "@framework/auth/rate-limit";
import {
  createSqlRevocationStore,
  createValkeyRevocationStore,
  type RevocationStore,
  type SqlDatabase,
} from "@framework/auth/storage";
import { Redis } from "iovalkey";
import { createPool } from "mysql2/promise";
import pg from "pg";
import { createTokenApplication, userBehind } from "../../auth/tests/token_application.ts";
import { everyCookie, PASSWORD, withPasswords } from "../../auth/tests/password_application.ts";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { findValkey, valkeyHint } from "../../scripts/valkey.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createFaultyNetwork, type FaultyNetwork } from "../support/faulty_network.ts";
import { startMariadb } from "../support/mariadb.ts";
import { startPostgres } from "../support/postgres.ts";
import { startValkey } from "../support/valkey.ts";

const [bin, programs, valkey] = [await findPostgres(), await findMariadb(), await findValkey()];

// Longer than the defaults, for slow machines.
const TIMES = { connectionTimeout: 60_000, statementTimeout: 60_000, requestTimeout: 0 };

// Milliseconds, each way: an answer never comes before what is sent at the same time.
const DELAY = 10;

/** How often operations wait, at least: the connections are there, and nothing else is under way. */
async function tripsOf(network: FaultyNetwork, work: () => Promise<unknown>): Promise<number> {
  const before = network.trips;
  await work();
  return network.trips - before;
}

/** Operations with their trips. */
type Costs = Record<string, number>;

/** @param rateLimit Default: the limits are in the database. */
async function costsOf(
  network: FaultyNetwork,
  database: SqlDatabase,
  rateLimit?: { storage: RateLimitStorage },
): Promise<Costs> {
  await database.migrate!();
  network.delay = DELAY;
  const least: Costs = {};
  const note = (name: string, trips: number) =>
    least[name] = Math.min(trips, least[name] ?? Infinity);
  await withPasswords(
    async ({ auth, send, signUp, confirm, byPassword, settle }) => {
      // The first asks for what is kept afterwards, and now and then a sign-in removes what has expired.
      for (let round = 0; round < 2; round++) {
        const email = `${crypto.randomUUID()}@example.com`;
        const info = { clientAddress: `192.0.2.${round}` };
        const measured = async (name: string, work: () => Promise<Response>) => {
          let response: Response | undefined;
          note(name, await tripsOf(network, async () => response = await work()));
          await settle();
          assert.ok(response!.status < 400, `${name}: ${response!.status}`);
          return response!;
        };
        const asked = await measured("sign-up, the form", () => signUp(email));
        const browser = { cookie: everyCookie(asked) };
        const joined = await measured("sign-up, the link", () => confirm({}, browser));
        assert.equal(joined.status, 303);
        const signedIn = await measured("sign-in by password", () => byPassword(email, PASSWORD));
        const cookie = everyCookie(signedIn);
        await measured("a request with a session", async () => {
          const response = await auth.run(
            new Request("https://app.example/", { headers: { cookie } }),
            {},
            info,
            async ({ auth }) => Response.json((await auth.getUser())?.email ?? null),
          );
          assert.equal(await response.json(), email);
          return response;
        });
        await measured("sign-out", () => send("/signout", { method: "POST", cookie }));
      }
    },
    {},
    { database, now: () => Date.now(), ...rateLimit && { rateLimit } },
  );
  return least;
}

/** The costs of everything, in SQL. On a busy machine packets come apart: what counts is the least of some rounds. */
async function sqlCosts(
  network: FaultyNetwork,
  database: SqlDatabase,
  documented: Costs,
): Promise<Costs> {
  const least: Costs = {};
  for (let round = 0; round < 5; round++) {
    for (const [name, trips] of Object.entries(await measureSql(network, database))) {
      least[name] = Math.min(trips, least[name] ?? Infinity);
    }
    if (Object.entries(least).every(([name, trips]) => trips <= documented[name]!)) break;
  }
  return least;
}

async function measureSql(network: FaultyNetwork, database: SqlDatabase): Promise<Costs> {
  const costs = await costsOf(network, database);
  // In a Valkey that is near, nobody waits for this database.
  const near = await costsOf(network, database, { storage: createMemoryRateLimitStorage() });
  costs["the same, limits elsewhere"] = near["sign-in by password"]!;
  const shared = await sharedCosts(network, {
    revocation: createSqlRevocationStore(database),
    limits: createSqlRateLimitStorage(database),
  });
  return { ...costs, ...shared };
}

async function sharedCosts(
  network: FaultyNetwork,
  { revocation, limits }: { revocation: RevocationStore; limits: RateLimitStorage },
): Promise<Costs> {
  network.delay = DELAY;
  const least: Costs = {};
  const rule = { limit: 9, window: 60_000, now: Date.now() };
  const application = createTokenApplication({
    users: false,
    session: { revocation },
    now: () => Date.now(),
  });
  try {
    const cookie = await application.signIn();
    for (let round = 0; round < 3; round++) {
      const trips = await tripsOf(network, () => userBehind(application, { cookie }));
      const name = "a request with a signed token";
      least[name] = Math.min(trips, least[name] ?? Infinity);
      const taken = await tripsOf(network, () => limits.takeRateLimit("key", rule));
      const attempt = "an attempt at a limit";
      least[attempt] = Math.min(taken, least[attempt] ?? Infinity);
    }
  } finally {
    application.close();
  }
  return least;
}

/** The figures of the guide's table in a column. */
async function documentedCosts(column: string): Promise<Costs> {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "scaling.md"));
  const rows = guide.split("## Several regions")[1]!.split("\n## ")[0]!.split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const at = rows[0]!.indexOf(column);
  assert.ok(at > 0, column);
  return Object.fromEntries(
    rows.slice(2).filter((row) => row[at] !== "").map((row) => [row[0]!, Number(row[at])]),
  );
}

const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: `the guide says how often operations wait for a distant PostgreSQL${
    bin === null ? `: ${postgresHint}` : ""
  }`,
  ignore: bin === null,
  ...options,
  async fn() {
    const server = await startPostgres(bin!);
    const network = createFaultyNetwork(server.port);
    const pool = new pg.Pool({
      ...{ host: "127.0.0.1", port: network.port, user: "framework", database: "postgres" },
    });
    try {
      const database = postgres(pool, TIMES);
      const documented = await documentedCosts("PostgreSQL");
      assert.deepEqual(await sqlCosts(network, database, documented), documented);
    } finally {
      await pool.end();
      network.close();
      await server.stop();
    }
  },
});

Deno.test({
  name: `the guide says how often operations wait for a distant MariaDB${
    programs === null ? ` [unavoidable: ${mariadbHint}]` : ""
  }`,
  ignore: programs === null,
  ...options,
  async fn() {
    const server = await startMariadb(programs!);
    const network = createFaultyNetwork(server.port);
    const pool = createPool(`mysql://root@127.0.0.1:${network.port}/app`);
    try {
      const database = mariadb(pool, TIMES);
      const documented = await documentedCosts("MariaDB");
      assert.deepEqual(await sqlCosts(network, database, documented), documented);
    } finally {
      await pool.end();
      network.close();
      await server.stop();
    }
  },
});

Deno.test({
  name: `the guide says how often operations wait for a distant Valkey${
    valkey === null ? `: ${valkeyHint}` : ""
  }`,
  ignore: valkey === null,
  ...options,
  async fn() {
    const server = await startValkey(valkey!);
    const network = createFaultyNetwork(server.port);
    const client = new Redis(network.port, "127.0.0.1");
    client.on("error", () => {});
    try {
      const send = ([name, ...values]: string[]) => client.call(name!, ...values);
      const timeout = 60_000;
      await client.ping();
      const costs = await sharedCosts(network, {
        revocation: createValkeyRevocationStore(send, { mayForget: 3600, timeout }),
        limits: createValkeyRateLimitStorage(send, { timeout }),
      });
      assert.deepEqual(costs, await documentedCosts("Valkey"));
    } finally {
      client.disconnect();
      network.close();
      await server.stop();
    }
  },
});
