import assert from "node:assert/strict";
import { createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { createKeyApplication } from "../../auth/tests/api_key_application.ts";
import { createTestApplication } from "../../auth/tests/application.ts";
import { assertExactGuesses } from "../../auth/tests/guess_race.ts";
import { admitted, EXACT_CASES } from "../../testing/storage/rate_limit_cases.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { inMatrix } from "../support/matrix.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();

/** Random sequences of attempts, whose number is what they begin with. */
const RUNS = inMatrix ? 10 : 1;

/** Rounds of each race. */
const ROUNDS = inMatrix ? 20 : 2;

/** Cases of the matrix: two storages have the first below, and the length of a text is no matter of the server. */
const RARE = [
  "lets exactly the limit through when 100 come at once, 20 times of 20",
  "has the largest limit there is",
];

Deno.test({
  name: `limits over PostgreSQL${bin === null ? `: ${postgresHint}` : ""}`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const { admin, pool, stop } = await startPostgres(bin!);
    try {
      await admin.query(postgresSchema.up);
      const storage = createSqlRateLimitStorage(postgres(pool));
      for (const [name, check] of Object.entries(EXACT_CASES)) {
        if (!inMatrix && RARE.includes(name)) continue;
        await test.step(name, async () => {
          await check(storage, { runs: RUNS });
          await admin.query("DELETE FROM rate_limits");
        });
      }

      // Tracks: R143, F02
      await test.step("two storages, as two servers have, share one limit", async () => {
        const other = createSqlRateLimitStorage(postgres(pool));
        for (let round = 0; round < ROUNDS; round++) {
          const options = { count: 100, limit: 5, now: Date.now() };
          assert.equal(await admitted([storage, other], `shared-${round}`, options), 5);
        }
      });

      // Tracks: R168, R143, A-09
      await test.step("guesses at once at two servers are counted exactly, known browsers apart", async () => {
        const servers = [0, 1].map(() => createTestApplication({ database: postgres(pool) }));
        await assertExactGuesses(servers, inMatrix ? 2 : 1);
        for (const server of servers) server.close();
      });

      // Tracks: R143, R188
      await test.step("of 100 requests at once with one API key at two servers its limit", async () => {
        const servers = [0, 1].map(() => createKeyApplication({ database: postgres(pool) }));
        for (let round = 0; round < ROUNDS / 2; round++) {
          const { key } = await servers[0]!.make({ limit: "5/3600" });
          const answers = await Promise.all(
            Array.from({ length: 100 }, (_, index) => servers[index % 2]!.ask(key)),
          );
          assert.equal(answers.filter(({ status }) => status === 200).length, 5);
          assert.equal(answers.filter(({ status }) => status === 429).length, 95);
        }
        for (const server of servers) server.close();
      });

      await test.step("a collation of a language sorts the times like the times are", async () => {
        const { rows } = await admin.query(
          "SELECT 1 FROM pg_collation WHERE collname = 'en-US-x-icu'",
        );
        assert.equal(rows.length, 1, "this server has no such collation");
        await admin.query('ALTER TABLE rate_limits ALTER hits TYPE TEXT COLLATE "en-US-x-icu"');
        for (const [name, check] of Object.entries(EXACT_CASES)) {
          // What asks for the order of times, and not how many come at once.
          if (!inMatrix && !name.includes("an exact log")) continue;
          await admin.query("DELETE FROM rate_limits");
          await check(storage, { runs: inMatrix ? 5 : 1 }).catch((cause) => {
            throw new Error(name, { cause });
          });
        }
      });
    } finally {
      await stop();
    }
  },
});
