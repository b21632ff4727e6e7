// What a restart and a failover of Valkey lose, as docs/scaling.md says it: limits, and nothing else.
import assert from "node:assert/strict";
import { createValkeyRateLimitStorage, type RateLimitStorage } from "@framework/auth/rate-limit";
import { createClient } from "redis";
import { createTestApplication } from "../../auth/tests/application.ts";
import { findValkey, valkeyHint } from "../../scripts/valkey.ts";
import { createFaultyNetwork } from "../support/faulty_network.ts";
import { until } from "../support/until.ts";
import { startValkey } from "../support/valkey.ts";

const program = await findValkey();

const LIMIT = 5;
const rule = { limit: LIMIT, window: 3_600_000, now: 0 };

/** Tries ten times; the number of those that were let through. */
async function admittedOf(storage: RateLimitStorage, key: string): Promise<number> {
  let admitted = 0;
  for (let attempt = 0; attempt < 2 * LIMIT; attempt++) {
    if ((await storage.takeRateLimit(key, rule)).allowed) admitted++;
  }
  return admitted;
}

const hint = program === null ? `: ${valkeyHint}` : "";

// Tracks: R043, R143
Deno.test({
  name: `a restart and a failover of Valkey forget attempts and nothing else${hint}`,
  ignore: program === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const first = await startValkey(program!);
    const second = await startValkey(program!);
    const address = createFaultyNetwork(first.port);
    const link = createFaultyNetwork(first.port);
    const client = createClient({ url: `redis://127.0.0.1:${address.port}` });
    client.on("error", () => {});
    await client.connect();
    const admin = createClient({ url: second.url });
    admin.on("error", () => {});
    await admin.connect();
    // Longer than the default, for slow machines.
    const storage = createValkeyRateLimitStorage((command) => client.sendCommand(command), {
      timeout: 60_000,
    });
    const application = createTestApplication({ rateLimit: { storage } });
    const isSignedIn = async (cookie: string) => {
      const response = await application.send("/session", { cookie });
      assert.equal(response.status, 200);
      return await response.json() !== null;
    };

    /** Clients wait until they are connected again. */
    const isBack = () =>
      until(
        async () => (await storage.takeRateLimit(crypto.randomUUID(), rule)).allowed,
        () => "Valkey does not come back",
      );

    try {
      const [cookie, ended] = [await application.signIn("ada"), await application.signIn("ada")];
      await application.send("/signout", { method: "POST", cookie: ended });
      const assertSessions = async () => {
        assert.equal(await isSignedIn(cookie), true);
        assert.equal(await isSignedIn(ended), false);
      };
      await assertSessions();

      await test.step("a restart without persistence", async () => {
        assert.equal(await admittedOf(storage, "guesses"), LIMIT);
        await first.restart();
        await isBack();
        assert.equal(await admittedOf(storage, "guesses"), LIMIT);
        await assertSessions();
      });

      await test.step("a failover to a replica that had not got all", async () => {
        await admin.sendCommand(["REPLICAOF", "127.0.0.1", String(link.port)]);
        await storage.takeRateLimit("late", rule);
        await until(
          async () => await admin.exists("rate-limit:late") === 1,
          () => "The replica does not follow",
        );
        // Attempts that the replica has are counted after the failover, those that it has not are not.
        link.losing = true;
        assert.equal(await admittedOf(storage, "late"), LIMIT - 1);
        assert.equal(await admittedOf(storage, "lost"), LIMIT);
        await first.kill();

        // As long as it is a replica, it refuses, and nobody is let through.
        address.target = second.port;
        await until(
          async () => {
            const asked = storage.takeRateLimit("late", rule);
            await assert.rejects(asked, { code: "STORAGE_UNAVAILABLE", status: 503 });
            const { cause } = await asked.catch((error: Error) => error) as Error;
            return /READONLY/.test(String(cause));
          },
          () => "The replica does not refuse",
        );
        const refused = await application.send("/signin/credentials", {
          fields: { name: "ada", password: "right" },
        });
        assert.equal(refused.status, 503);
        await assertSessions();
        await admin.sendCommand(["REPLICAOF", "NO", "ONE"]);
        await isBack();
        assert.equal(await admittedOf(storage, "late"), LIMIT - 1);
        assert.equal(await admittedOf(storage, "lost"), LIMIT);
        await assertSessions();
      });
    } finally {
      application.close();
      client.destroy();
      admin.destroy();
      address.close();
      link.close();
      await first.stop();
      await second.stop();
    }
  },
});
