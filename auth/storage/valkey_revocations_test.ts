import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { deviceBoundJwt } from "../sign_in/device_bound/provider.ts";
import { createMemoryStorage } from "./memory.ts";
import { createValkeyRevocationStore } from "./valkey_revocations.ts";

const SESSION = { id: "s1", userId: "ada", startedAt: Date.now() };

// Tracks: R056
Deno.test("createValkeyRevocationStore() refuses to guess for how long it may forget", () => {
  const send = () => Promise.resolve(0);
  for (const mayForget of [undefined, 0, 59, 60.5, -60, Infinity, NaN, 31_536_001, "3600"]) {
    assert.throws(
      () => createValkeyRevocationStore(send, { mayForget: mayForget as number }),
      { name: "ConfigurationError", message: /mayForget.*createSqlRevocationStore/s },
      String(mayForget),
    );
  }
  assert.throws(() => createValkeyRevocationStore(send, undefined as never), /mayForget/);
  for (const mayForget of [60, 3600, 31_536_000]) createValkeyRevocationStore(send, { mayForget });
});

Deno.test("createValkeyRevocationStore() says what to write", () => {
  for (const send of [undefined, {}, "redis://localhost"]) {
    assert.throws(() => createValkeyRevocationStore(send as never, { mayForget: 60 }), {
      name: "ConfigurationError",
      message: /send.*\(command\) => client\.sendCommand\(command\)/,
    });
  }
  const send = () => Promise.resolve(0);
  for (const more of [{ timeout: 0 }, { timeout: 60_001 }, { prefix: 1 }, { mayforget: 5 }]) {
    assert.throws(
      () => createValkeyRevocationStore(send, { mayForget: 60, ...more as object }),
      { name: "ConfigurationError" },
    );
  }
});

// Tracks: R043
Deno.test("an answer that is none of the scripts' is a 503: no session counts as going on, or as ended", async () => {
  const unavailable = { code: "STORAGE_UNAVAILABLE", status: 503 };
  for (const answer of [undefined, null, "QUEUED", "OK", "", "1.5", 0.5, NaN, [], [0], {}, true]) {
    const store = createValkeyRevocationStore(() => Promise.resolve(answer), { mayForget: 60 });
    await assert.rejects(store.isRevoked(SESSION), unavailable, String(answer));
    await assert.rejects(store.revoke("s1", 0), unavailable);
    await assert.rejects(store.revokeUser("ada", { before: 1, until: 1 }), unavailable);
    await assert.rejects(store.validFrom("ada"), unavailable);
  }
  const silent = createValkeyRevocationStore(() => new Promise(() => {}), {
    mayForget: 60,
    timeout: 1,
  });
  await assert.rejects(silent.isRevoked(SESSION), unavailable);
});

Deno.test("whole numbers are read in each of the ways in which clients tell them", async () => {
  const bytes = new TextEncoder();
  for (const [no, yes] of [[0, 1], ["0", "1"], [0n, 1n], [bytes.encode("0"), bytes.encode("1")]]) {
    const answers = [no, yes];
    const store = createValkeyRevocationStore(() => Promise.resolve(answers.shift()), {
      mayForget: 60,
    });
    assert.equal(await store.isRevoked(SESSION), false);
    assert.equal(await store.isRevoked(SESSION), true);
  }
});

Deno.test("the keys of one lookup are in one place of a cluster", async () => {
  const sent: string[][] = [];
  const store = createValkeyRevocationStore((command) => {
    sent.push(command);
    return Promise.resolve(0);
  }, { mayForget: 60 });
  await store.isRevoked(SESSION);
  await store.revoke("s1", 0);
  await store.revokeUser("ada", { before: 1, until: 1 });
  await store.validFrom("ada");
  for (const [name, , count, ...rest] of sent) {
    assert.equal(name, "EVAL");
    for (const key of rest.slice(0, Number(count))) assert.match(key, /^\{revocation\}:/);
  }
});

// Tracks: R056
Deno.test("what counts once is not kept by a store that may forget: bound signed tokens refuse it", () => {
  const revocation = createValkeyRevocationStore(() => Promise.resolve(0), { mayForget: 3600 });
  assert.equal("claim" in revocation, false);
  assert.throws(
    () =>
      createAuth({
        database: createMemoryStorage(),
        baseUrl: "https://app.example",
        secret: "0123456789abcdef0123456789abcdef",
        cookies: { sessionToken: { hostOnly: true } },
        session: {
          strategy: jwtSessions,
          revocation,
          deviceBound: deviceBoundJwt({ sendMail: () => {} }),
        },
      }),
    { name: "ConfigurationError", message: /revocation store with claim\(\)/ },
  );
});
