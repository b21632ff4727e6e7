import assert from "node:assert/strict";
import { createMemoryStorage } from "../../storage/memory.ts";
import { ORIGIN, sessionLines } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";

const COOKIE = "__Host-framework.passkey";

async function codeOf(response: Response): Promise<string> {
  return (await response.json()).code;
}

// Tracks: R109
Deno.test("a challenge is 32 random bytes, stored as a hash, bound by a cookie, for five minutes", async () => {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  const seen = new Set<unknown>();
  for (const options of [await browser.signInOptions(), await browser.registrationOptions()]) {
    assert.match(String(options.challenge), /^[A-Za-z0-9_-]{43}$/);
    assert.equal(options.timeout, 300_000);
    seen.add(options.challenge);
  }
  assert.equal(seen.size, 2);
  const rows = application.database.sqlite.prepare("SELECT * FROM verifications").all();
  assert.deepEqual(rows.map(({ purpose }) => purpose).sort(), [
    "passkey-authenticate",
    "passkey-register",
  ]);
  const stored = JSON.stringify(rows);
  for (const secret of [...seen, browser.cookies.get(COOKIE)]) {
    assert.equal(stored.includes(String(secret)), false);
  }
  for (const { created_at, expires_at } of rows) {
    assert.equal(Number(expires_at) - Number(created_at), 300_000);
  }
  const response = await createPasskeyBrowser(application)
    .send("/passkey/options/authenticate", { method: "POST" });
  const [line] = response.headers.getSetCookie();
  assert.match(
    line!,
    /^__Host-framework\.passkey=[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; Secure; SameSite=Strict$/,
  );
  application.close();
});

// Tracks: F35, PF-q17
Deno.test("one browser has ten open challenges of each ceremony, the newest", async () => {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  const authenticator = createSoftwareAuthenticator();
  assert.equal((await browser.register(authenticator)).ok, true);
  const starts = [];
  for (let start = 0; start < 12; start++) {
    application.clock.now += 1;
    starts.push(await browser.signInOptions());
    await browser.registrationOptions();
  }
  const rows = application.database.sqlite
    .prepare("SELECT purpose, count(*) AS n FROM verifications GROUP BY purpose ORDER BY purpose")
    .all();
  assert.deepEqual(rows.map(({ purpose, n }) => [purpose, n]), [
    ["passkey-authenticate", 10],
    ["passkey-register", 10],
  ]);
  // Each browser has its own.
  await createPasskeyBrowser(application).signInOptions();
  const { n } = application.database.sqlite
    .prepare("SELECT count(*) AS n FROM verifications WHERE purpose = 'passkey-authenticate'")
    .get()!;
  assert.equal(n, 11);
  application.close();
});

// Tracks: R109, F29, BA #10000, BA #9622
Deno.test("an answer is taken once, also one that was refused, and by no other ceremony, browser or time", async () => {
  const application = createPasskeyApplication();
  const authenticator = createSoftwareAuthenticator();
  const desk = createPasskeyBrowser(application);
  await desk.signIn();
  const registration = await desk.registrationOptions();
  const made = JSON.stringify(await authenticator.create(registration, ORIGIN));
  const register = (credential: string) =>
    desk.send("/passkey/register", { fields: { credential } });
  assert.equal((await register(made)).status, 200);
  assert.equal(await codeOf(await register(made)), "PASSKEY_EXPIRED");

  const visitor = createPasskeyBrowser(application);
  const prove = (credential: string, browser = visitor) =>
    browser.send("/signin/passkey", { fields: { credential } });
  const first = JSON.stringify(await authenticator.get(await visitor.signInOptions(), ORIGIN));
  assert.equal((await prove(first)).status, 200);
  assert.equal(await codeOf(await prove(first)), "PASSKEY_EXPIRED", "replayed");

  const options = await visitor.signInOptions();
  const wrong = await authenticator.get(options, ORIGIN, { signature: () => Uint8Array.of(1) });
  assert.equal(await codeOf(await prove(JSON.stringify(wrong))), "PASSKEY_REFUSED");
  const right = JSON.stringify(await authenticator.get(options, ORIGIN));
  assert.equal(await codeOf(await prove(right)), "PASSKEY_EXPIRED", "burnt by the one before");

  const swapped = { ...await desk.registrationOptions(), rpId: "app.example" };
  const crossed = JSON.stringify(await authenticator.get(swapped, ORIGIN));
  assert.equal(await codeOf(await prove(crossed, desk)), "PASSKEY_EXPIRED", "of a registration");
  const other = { ...registration, challenge: (await desk.signInOptions()).challenge };
  const second = createSoftwareAuthenticator();
  const misplaced = JSON.stringify(await second.create(other, ORIGIN));
  assert.equal(await codeOf(await register(misplaced)), "PASSKEY_EXPIRED", "of a sign-in");

  const mine = JSON.stringify(await authenticator.get(await visitor.signInOptions(), ORIGIN));
  for (const thief of [createPasskeyBrowser(application), desk]) {
    assert.equal(await codeOf(await prove(mine, thief)), "PASSKEY_EXPIRED", "another browser");
  }
  assert.equal((await prove(mine)).status, 200, "the others have not burnt it");

  const late = JSON.stringify(await authenticator.get(await visitor.signInOptions(), ORIGIN));
  application.clock.now += 300_000;
  assert.equal(await codeOf(await prove(late)), "PASSKEY_EXPIRED");
  application.close();
});

// Tracks: R109, R127
Deno.test("a registration ends in the session in which it began, or not at all", async () => {
  const application = createPasskeyApplication();
  const authenticator = createSoftwareAuthenticator();
  const desk = createPasskeyBrowser(application);
  for (const next of ["ada", "eve", null]) {
    await desk.signIn();
    const options = await desk.registrationOptions();
    if (next !== null) await desk.signIn(next);
    else await desk.send("/signout", { fields: {} });
    const credential = JSON.stringify(await authenticator.create(options, ORIGIN));
    const response = await desk.send("/passkey/register", { fields: { credential } });
    const code = next === null ? "UNAUTHENTICATED" : "PASSKEY_EXPIRED";
    assert.equal(await codeOf(response), code, String(next));
  }
  assert.deepEqual(application.database.sqlite.prepare("SELECT id FROM passkeys").all(), []);
  application.close();
});

const STORAGES = { "SQL": () => ({}), "memory": () => ({ database: createMemoryStorage() }) };

for (const [name, options] of Object.entries(STORAGES)) {
  // Tracks: R109, F09, GHSA-hc7v-rggr-4hvx, BA #9572, BA #9993, BA #10000
  Deno.test(`of 100 answers at once to one challenge one is taken, 20 times (${name})`, async () => {
    const application = createPasskeyApplication({}, options());
    const authenticator = createSoftwareAuthenticator();
    const desk = createPasskeyBrowser(application);
    await desk.signIn();
    assert.equal((await desk.register(authenticator)).status, 200);
    for (let time = 0; time < 20; time++) {
      const visitor = createPasskeyBrowser(application);
      const proof = JSON.stringify(await authenticator.get(await visitor.signInOptions(), ORIGIN));
      const replies = await Promise.all(
        Array.from(
          { length: 100 },
          () => visitor.send("/signin/passkey", { fields: { credential: proof } }),
        ),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      const sessions = replies.flatMap(sessionLines);
      assert.equal(sessions.length, 1);
      for (const reply of replies) if (reply.status !== 200) assert.equal(reply.status, 400);
    }
    application.close();
  });

  // Tracks: R118, F09
  Deno.test(`of 100 registrations of one credential at once one is stored, 20 times (${name})`, async () => {
    const application = createPasskeyApplication({}, options());
    const desks = [createPasskeyBrowser(application), createPasskeyBrowser(application)];
    await Promise.all(desks.map((desk, index) => desk.signIn(`user${index}`)));
    for (let time = 0; time < 20; time++) {
      const made = await Promise.all(desks.map(async (desk) => {
        // Two authenticators of an attacker that give out the same id.
        const authenticator = createSoftwareAuthenticator();
        const credential = await authenticator.create(await desk.registrationOptions(), ORIGIN, {
          authenticatorData(bytes) {
            bytes.set(new Uint8Array(32).fill(time), 55);
            return bytes;
          },
          credential(json) {
            const id = btoa(String.fromCharCode(...new Uint8Array(32).fill(time)))
              .replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
            return { ...json, id, rawId: id };
          },
        });
        return JSON.stringify(credential);
      }));
      const replies = await Promise.all(
        Array.from(
          { length: 100 },
          (_, index) =>
            desks[index % 2]!.send("/passkey/register", {
              fields: { credential: made[index % 2]! },
            }),
        ),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      assert.equal(replies.filter(({ status }) => status === 409).length, 1);
    }
    const counts = await Promise.all(
      desks.map(async (desk) => (await (await desk.send("/passkeys")).json()).length),
    );
    assert.equal(counts[0]! + counts[1]!, 20);
    application.close();
  });
}
