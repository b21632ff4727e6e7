import assert from "node:assert/strict";
import { mariadb } from "@framework/auth/mariadb";
import { createSqlRevocationStore, createSqlStorage } from "@framework/auth/storage";
import {
  type StorageSuite,
  type StorageTest,
  testRevocationStore,
  testStorage,
} from "@framework/testing/storage";
import type { Pool } from "mysql2/promise";
import { STORAGE_CASES } from "../../testing/storage/cases.ts";
import { INTERRUPTION_CASES } from "../../testing/storage/interruption_cases.ts";
import { setRounds } from "../../testing/storage/race.ts";
import { EXACT_CASES } from "../../testing/storage/rate_limit_cases.ts";
import type { StorageTools } from "../../testing/storage/trips.ts";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { readTable } from "../docs/tables.ts";
import { inMatrix, RACE_ROUNDS } from "../support/matrix.ts";
import { startMariadb } from "../support/mariadb.ts";

const programs = await findMariadb();

setRounds(RACE_ROUNDS);

// A hundred at once take their time on a slow machine.
const SLOW = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };

/** Cases of the matrix, which take a server long: what they ask of MariaDB shorter ones do, and PostgreSQL has them. */
const RARE = [
  "redeemSecret() takes a secret and proves with it for one of 100 at once",
  "completeSignUp() makes one user of a hundred uses at once, of one link or of three",
  "insertPasskey() stores fifty for one user, also of many at once",
  "endEverything() ends what is named of one user, and nothing else",
  "a limit lets exactly the limit through when 100 come at once, 20 times of 20",
  "a limit has the largest limit there is",
  "a limit lets through what an exact log of the last window does, no more and no less",
].map((title) => `MariaDB: ${title}`);

/** Operations of a push that lose an exchange: of one statement, and of a transaction; the double of D1 has all. */
const LOST = [
  "createUser()",
  "insertSession() with a new owner, in place of another session",
].map((operation) =>
  `MariaDB: ${operation} happens as a whole or not at all when an exchange is lost`
);

function isDeadlock(error: unknown): boolean {
  if ((error as { errno?: unknown }).errno === 1213) return true;
  throw error;
}

/** The same pool, each statement of whose connections is one exchange that can be lost, those of a transaction too. */
function poolOverTrips(pool: Pool, { trip }: StorageTools): Pool {
  return new Proxy(pool, {
    get(target, name) {
      if (name !== "getConnection") return Reflect.get(target, name, target);
      return async () => {
        const taken = await target.getConnection();
        return new Proxy(taken, {
          get(connection, member) {
            const value: unknown = Reflect.get(connection, member, connection);
            if (typeof value !== "function") return value;
            const call = value.bind(connection);
            return member === "query" || member === "execute"
              ? (...given: unknown[]) => trip(() => call(...given))
              : call;
          },
        });
      };
    },
  });
}

/** Holds that what the row of docs/databases.md says is among the tests. */
async function holdRow(names: ReadonlySet<string>): Promise<void> {
  const races = Object.keys(STORAGE_CASES).filter((name) => STORAGE_CASES[name]!.suite === "races");
  const faults = Object.keys(INTERRUPTION_CASES)
    .map((operation) => `${operation} happens as a whole or not at all when an exchange is lost`);
  const limited = Object.keys(EXACT_CASES).map((title) => `a limit ${title}`);
  assert.ok(races.length > 30 && faults.length > 10 && limited.length > 5);
  for (const title of [...races, ...faults, ...limited]) {
    assert.ok(names.has(`MariaDB: ${title}`), title);
  }
  const { mysql2 } = await readTable("docs/databases.md", "conformance");
  const { conformance, races: raced, limits, faults: lost, migration } = mysql2!;
  // The making of the tables is asked by mariadb_tables_test.ts.
  assert.deepEqual([conformance, raced, limits, lost, migration], ["✓", "✓", "✓", "✓", "made"]);
}

Deno.test({
  name: `SQL storage over MariaDB${programs === null ? ` [unavoidable: ${mariadbHint}]` : ""}`,
  ignore: programs === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startMariadb(programs!);
    try {
      await mariadb(server.pool).migrate!();
      const tables = await server.ask("SHOW TABLES");
      const emptying = tables.map((row) => Object.values(row)[0]).filter((one) =>
        one !== "auth_schema"
      )
        .map((one) => `DELETE FROM ${one}`).join("; ");
      const steps: { name: string; work: () => Promise<void>; suite: StorageSuite }[] = [];
      const add = (name: string, work: () => Promise<void>, { suite }: StorageTest) =>
        steps.push({ name, work, suite });
      const opened = async <T>(storage: T): Promise<{ storage: T }> => {
        // A sweep of the test before may be at it still.
        while (await server.ask(emptying).then(() => false, isDeadlock));
        return { storage };
      };
      await testStorage("MariaDB", {
        test: add,
        open: (tools) => opened(createSqlStorage(mariadb(poolOverTrips(server.pool, tools), SLOW))),
      });
      await testRevocationStore("MariaDB", {
        test: add,
        open: () => opened(createSqlRevocationStore(mariadb(server.pool, SLOW))),
      });
      assert.ok(steps.length > 250);
      await holdRow(new Set(steps.map(({ name }) => name)));
      const chosen = steps.filter(({ name, suite }) =>
        // No clock is the server's.
        inMatrix || (suite === "interruptions"
          ? LOST.includes(name)
          : suite !== "clocks" && !RARE.includes(name))
      );
      assert.ok([...RARE, ...LOST].every((title) => steps.some(({ name }) => name === title)));
      for (const { name, work } of chosen) await test.step(name, work);
    } finally {
      await server.stop();
    }
  },
});
