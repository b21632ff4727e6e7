import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { disableUser, enableUser } from "../session/users.ts";
import {
  codeOf,
  createKeyApplication,
  INVALID,
  overEach,
  statementsOf,
} from "../tests/api_key_application.ts";
import { during } from "../tests/during.ts";

// Tracks: R188
Deno.test(
  "a key dies with its owner's disabling, its end and its revocation, all alike",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const { key: disabled } = await app.make({}, await app.signIn("bob"));
    await during(app, undefined, () => disableUser("bob"));
    assert.deepEqual(await codeOf(await app.ask(disabled)), INVALID);
    await during(app, undefined, () => enableUser("bob"));
    assert.deepEqual(await codeOf(await app.ask(disabled)), INVALID);

    const expires = new Date(app.clock.now + 60_000).toISOString();
    const ending = await app.make({ expires }, cookie);
    assert.equal((await app.ask(ending.key)).status, 200);
    app.clock.now += 60_000;
    const over = await app.ask(ending.key);
    assert.equal(over.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
    assert.deepEqual(await codeOf(over), INVALID);

    const { id, key } = await app.make({}, cookie);
    const eve = await app.signIn("eve");
    const json = { accept: "application/json" };
    const foreign = await app.send("/api-keys/revoke", {
      cookie: eve,
      json: { id },
      headers: json,
    });
    assert.deepEqual(await foreign.json(), { revoked: false });
    app.clock.now += 3_600_000;
    const revoked = await app.send("/api-keys/revoke", { cookie, json: { id }, headers: json });
    assert.deepEqual(await revoked.json(), { revoked: true });
    assert.deepEqual(await codeOf(await app.ask(key)), INVALID);
  }),
);

// Tracks: R188
Deno.test(
  "a rotated key has one secret more until its time, and no third",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const first = await app.make({}, cookie);
    async function rotate(grace: string): Promise<string> {
      const json = { id: first.id, grace };
      const headers = { accept: "application/json" };
      return (await (await app.send("/api-keys/rotate", { cookie, json, headers })).json()).key;
    }
    const statuses = async (...keys: string[]) => {
      const answers = await Promise.all(keys.map((key) => app.ask(key)));
      return answers.map(({ status }) => status);
    };
    const second = await rotate("3600");
    assert.equal(second.split("_")[2], first.id);
    assert.deepEqual(await statuses(first.key, second), [200, 200]);
    const third = await rotate("60");
    assert.deepEqual(await statuses(first.key, second, third), [401, 200, 200]);
    app.clock.now += 60_000;
    assert.deepEqual(await statuses(first.key, second, third), [401, 401, 200]);
    const fourth = await rotate("0");
    assert.deepEqual(await statuses(third, fourth), [401, 200]);
    const racing = await Promise.all(Array.from({ length: 10 }, () => rotate("0")));
    assert.equal(
      (await statuses(...racing.filter((key) => key !== undefined))).filter((one) => one === 200)
        .length,
      1,
    );
  }),
);

Deno.test("the last use is written at most once an hour", async () => {
  const app = createKeyApplication();
  const cookie = await app.signIn();
  const { key } = await app.make({}, cookie);
  const used = async () =>
    (await (await app.send("/api-keys", { cookie })).json()).keys[0].lastUsedAt;
  const costs: number[] = [];
  for (const minutes of [0, 1, 58, 1, 59]) {
    app.clock.now += minutes * 60_000;
    costs.push(
      await statementsOf(app, async () => {
        await app.ask(key);
        await wait(0);
      }),
    );
  }
  assert.deepEqual(costs.map((cost) => cost - Math.min(...costs)), [1, 0, 0, 1, 0]);
  assert.equal(await used(), new Date(app.clock.now - 59 * 60_000).toISOString());
  app.close();
});
