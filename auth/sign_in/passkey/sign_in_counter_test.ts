import assert from "node:assert/strict";
import { ORIGIN } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";

function counterOf(application: ReturnType<typeof createPasskeyApplication>): unknown {
  return application.database.sqlite.prepare("SELECT counter FROM passkeys").get()!.counter;
}

// Tracks: R122, F34
Deno.test("a counter that does not grow refuses the copy and is reported", async () => {
  const heard: unknown[] = [];
  const events = { "replay-detected": (event: unknown) => heard.push(event) };
  const application = createPasskeyApplication({}, { events });
  const authenticator = createSoftwareAuthenticator();
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  assert.equal((await browser.register(authenticator)).status, 200);
  const [credential] = authenticator.credentials;
  for (const [counter, status] of [[5, 200], [5, 401], [4, 401], [0, 401], [6, 200]]) {
    credential!.counter = counter! - 1;
    if (counter === 0) Object.assign(authenticator.behaviour, { counts: false });
    if (counter === 0) credential!.counter = 0;
    const visitor = createPasskeyBrowser(application);
    const response = await visitor.prove(authenticator);
    assert.equal(response.status, status, `counter ${counter}`);
    Object.assign(authenticator.behaviour, { counts: true });
  }
  assert.equal(counterOf(application), 6);
  const { clock } = application;
  assert.equal(heard.length, 3);
  const { requestId, address: _, ...event } = heard[0] as Record<string, unknown>;
  assert.ok(requestId);
  const at = new Date(clock.now);
  assert.deepEqual(event, { type: "replay-detected", provider: "passkey", userId: "ada", at });
  application.close();
});

// Tracks: R122
Deno.test("an authenticator that does not count signs in again and again", async () => {
  const application = createPasskeyApplication();
  const authenticator = createSoftwareAuthenticator({ counts: false });
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  await browser.register(authenticator);
  for (let time = 0; time < 3; time++) {
    assert.equal((await browser.prove(authenticator)).status, 200);
  }
  application.clock.now += 1000;
  assert.equal((await browser.prove(authenticator)).status, 200);
  const [passkey] = await (await browser.send("/passkeys")).json();
  assert.equal(passkey.lastUsedAt, new Date(application.clock.now).toISOString());
  application.close();
});

// Tracks: R122, F09
Deno.test("of 20 proofs at once with growing counters the last counter stays, 20 times", async () => {
  const application = createPasskeyApplication();
  const authenticator = createSoftwareAuthenticator();
  const desk = createPasskeyBrowser(application);
  await desk.signIn();
  await desk.register(authenticator);
  for (let time = 0; time < 20; time++) {
    const proofs = [];
    for (let index = 0; index < 20; index++) {
      const visitor = createPasskeyBrowser(application);
      const options = await visitor.signInOptions();
      const credential = JSON.stringify(await authenticator.get(options, ORIGIN));
      proofs.push({ visitor, credential });
    }
    const last = authenticator.credentials[0]!.counter;
    const replies = await Promise.all(
      proofs.reverse().map(({ visitor, credential }) =>
        visitor.send("/signin/passkey", { fields: { credential } })
      ),
    );
    assert.equal(counterOf(application), last);
    assert.equal(replies[0]!.status, 200, "whoever has the highest is no copy");
    for (const { status } of replies) assert.ok(status === 200 || status === 401);
  }
  application.close();
});
