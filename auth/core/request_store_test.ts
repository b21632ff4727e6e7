import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { createTestApplication, inVisit, visit } from "../tests/application.ts";
import { getUser } from "../session/operations.ts";
import { currentRequest, findRequest } from "./request.ts";

Deno.test("the request travels in the AsyncLocalStorage at Symbol.for('framework.request')", async () => {
  const application = createTestApplication();
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for("framework.request")];
  assert.ok(shared instanceof AsyncLocalStorage);
  assert.equal(findRequest(), undefined);
  await inVisit(application, () => {
    const store = currentRequest("test");
    assert.equal(shared.getStore(), store);
    const names = [
      "address",
      "auth",
      "cookiesOut",
      "env",
      "report",
      "request",
      "waitUntil",
    ] as const;
    assert.deepEqual(names.filter((name) => store[name] === undefined), []);
    return new Response();
  });
  application.close();
});

// Tracks: R045
Deno.test("200 interleaved requests never see each other's user", async () => {
  const application = createTestApplication();
  const names = Array.from({ length: 20 }, (_, index) => `user${index}`);
  const cookies = await Promise.all(names.map((name) => application.signIn(name)));
  let seed = 7;
  async function wander(): Promise<void> {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    for (let turns = seed % 9; turns > 0; turns--) await Promise.resolve();
  }
  await Promise.all(Array.from({ length: 200 }, async (_, index) => {
    const who = index % 21;
    const options = who === 20 ? {} : { cookie: cookies[who]! };
    const response = await visit(application, async ({ auth }) => {
      const seen: unknown[] = [];
      for (let round = 0; round < 5; round++) {
        await wander();
        seen.push(getUser()?.id, (await auth.getUser())?.id);
      }
      return Response.json([...new Set(seen)]);
    }, options);
    assert.deepEqual(await response.json(), [names[who] ?? null]);
  }));
  application.close();
});

Deno.test("background work still knows its request", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const background: Promise<unknown>[] = [];
  let seen: string | undefined;
  await inVisit(application, () => {
    const { waitUntil } = currentRequest("test");
    waitUntil(
      Promise.resolve().then(() => {
        seen = getUser()?.id;
      }),
    );
    waitUntil(Promise.reject(new Error("failed later")));
    return new Response();
  }, { cookie, info: { waitUntil: (work) => void background.push(work) } });
  await Promise.all(background);
  assert.equal(seen, "ada");
  assert.ok(application.log.some(({ event }) => event === "background-work-failed"));
  application.close();
});
