import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createTestApplication, visit } from "../tests/application.ts";
import { readClock } from "./options.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";

Deno.test("readClock() takes the platform's clock unless there is another", () => {
  assert.equal(readClock(undefined), Date.now);
  assert.equal(readClock(() => 5)(), 5);
  assert.throws(() => readClock(5), ConfigurationError);
});

// Tracks: F27, K2
Deno.test("a clock that tells no number lets nobody in, with either strategy", async () => {
  for (const strategy of ["database", jwtSessions] as const) {
    let broken: unknown;
    const good = Date.UTC(2026, 0, 1);
    const application = createTestApplication({
      session: { strategy },
      secret: "s".repeat(32),
      now: () => (broken === undefined ? good : broken) as number,
    });
    const cookie = await application.signIn();
    for (broken of [NaN, Infinity, "1767225600000", null, new Date(good)]) {
      const page = visit(application, ({ auth }) => auth.requireAuth().then(() => new Response()), {
        cookie,
      });
      await assert.rejects(page, (error) => (error as ConfigurationError).field === "now");
    }
    broken = undefined;
    const page = await visit(application, async ({ auth }) => Response.json(await auth.getUser()), {
      cookie,
    });
    assert.equal((await page.json()).id, "ada");
    application.close();
  }
});
