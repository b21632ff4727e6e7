import assert from "node:assert/strict";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import {
  codeOf,
  createKeyApplication,
  INVALID,
  overEach,
  statementsOf,
} from "../tests/api_key_application.ts";

Deno.test(
  "of 100 requests at once a limit of five lets five pass",
  overEach(async (app) => {
    const { key } = await app.make({ limit: "5/60" });
    const answers = await Promise.all(Array.from({ length: 100 }, () => app.ask(key)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    const limited = answers.find(({ status }) => status === 429)!;
    assert.equal(answers.filter(({ status }) => status === 429).length, 95);
    assert.match(limited.headers.get("ratelimit")!, /^"api-key";r=0;t=\d+$/);
    app.clock.now += 61_000;
    assert.equal((await app.ask(key)).status, 200);
  }, { rateLimit: false }),
);

// Tracks: R188
Deno.test("what no key can be costs no statement, and unknown and wrong keys cost the same and are counted", async () => {
  const app = createKeyApplication();
  const { key } = await app.make();
  await app.ask(key);
  const [prefix, mode, id, secret, checksum] = key.split("_") as [
    string,
    string,
    string,
    string,
    string,
  ];
  const { writeApiKey } = await import("./key.ts");
  const beginning = `${prefix}_${mode}_`;
  const other = (text: string) => (text[0] === "A" ? "B" : "A") + text.slice(1);
  const malformed = [
    beginning,
    key.slice(0, -1),
    `${key}A`,
    `${beginning}${id}_${other(secret)}_${checksum}`,
    `${beginning}${other(id)}_${secret}_${checksum}`,
    key.replace("_live_", "_test_"),
    `${beginning}${id}_${secret}_${other(checksum)}`,
    beginning + "A".repeat(100_000),
  ];
  for (const wrong of malformed) {
    const asked = () => app.ask(wrong);
    assert.equal(
      await statementsOf(app, async () => assert.deepEqual(await codeOf(await asked()), INVALID)),
      0,
      wrong.slice(0, 99),
    );
  }
  const unknown = writeApiKey(beginning, { id: other(id), secret });
  const wrong = writeApiKey(beginning, { id, secret: other(secret) });
  const info = { clientAddress: "198.51.100.9" };
  const costs = [];
  for (const one of [unknown, wrong]) {
    costs.push(await statementsOf(app, () => app.ask(one, { info })));
  }
  assert.equal(costs[0], costs[1]);
  for (let count = 0; count < 58; count++) {
    assert.equal((await app.ask(count % 2 ? wrong : unknown, { info })).status, 401);
  }
  assert.equal((await app.ask(unknown, { info })).status, 429);
  // Nobody is shut out by that: neither others nor a right key from there.
  assert.equal((await app.ask(unknown)).status, 401);
  assert.equal((await app.ask(key, { info })).status, 200);
  // No key is in what the application hears or logs.
  const heard = JSON.stringify([app.told, app.log]);
  for (const one of [secret, other(secret)]) assert.ok(!heard.includes(one));
  app.close();
});

Deno.test("limits count where the application says, and a limiter of its own", async () => {
  const storage = createMemoryRateLimits();
  const app = createKeyApplication({ rateLimit: { storage } });
  const { key } = await app.make({ limit: "2/60" });
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await app.ask(key)).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal(
    app.database.sqlite.prepare("SELECT COUNT(*) AS n FROM rate_limits WHERE key LIKE 'api-key|%'")
      .get()!.n,
    0,
  );
  app.close();
});

Deno.test(
  "there are at most fifty keys of one owner, however many are made at once",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const json = { name: "Key" };
    const headers = { accept: "application/json" };
    const made = await Promise.all(
      Array.from({ length: 60 }, () => app.send("/api-keys", { cookie, json, headers })),
    );
    assert.equal(made.filter(({ status }) => status === 200).length, 50);
    assert.equal(made.filter(({ status }) => status === 400).length, 10);
  }),
);
