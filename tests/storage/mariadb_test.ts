import assert from "node:assert/strict";
import { mariadb } from "@framework/auth/mariadb";
import {
  createSqlRevocationStore,
  createSqlStorage,
  groupOf,
  rateLimitGroup,
} from "@framework/auth/storage";
import { testRateLimitStorage, testRevocationStore, testStorage } from "@framework/testing/storage";
import type { Pool } from "mysql2/promise";
import type { StorageTools } from "../../testing/storage/trips.ts";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { startMariadb } from "../support/mariadb.ts";

const programs = await findMariadb();

// A hundred at once take their time on a slow machine.
const SLOW = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };

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
      const steps: [name: string, work: () => Promise<void>][] = [];
      const add = (name: string, work: () => Promise<void>) => steps.push([name, work]);
      const opened = async <T>(storage: T): Promise<{ storage: T }> => {
        // A sweep of the test before may be at it still.
        while (await server.ask(emptying).then(() => false, isDeadlock));
        return { storage };
      };
      await testStorage("MariaDB", {
        test: add,
        open: (tools) => opened(createSqlStorage(mariadb(poolOverTrips(server.pool, tools), SLOW))),
      });
      await testRateLimitStorage("MariaDB", {
        test: add,
        open: () => opened(groupOf(createSqlStorage(mariadb(server.pool, SLOW)), rateLimitGroup)),
      });
      await testRevocationStore("MariaDB", {
        test: add,
        open: () => opened(createSqlRevocationStore(mariadb(server.pool, SLOW))),
      });
      assert.ok(steps.length > 250);
      for (const [name, work] of steps) await test.step(name, work);
    } finally {
      await server.stop();
    }
  },
});
