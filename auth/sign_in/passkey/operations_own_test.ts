import assert from "node:assert/strict";
import { toBase64Url } from "../../lib/encoding.ts";
import { email } from "../email/provider.ts";
import { passkey } from "./provider.ts";
import { ORIGIN } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";

async function idsOf(browser: PasskeyBrowser): Promise<string[]> {
  const passkeys = await (await browser.send("/passkeys")).json();
  return passkeys.map(({ id }: { id: string }) => id);
}

// Tracks: GHSA-4vcf-q4xf-f48m, R166
Deno.test("passkeys are listed, renamed and removed by their owner and nobody else", async () => {
  const application = createPasskeyApplication();
  const ada = createPasskeyBrowser(application);
  await ada.signIn();
  await ada.register(createSoftwareAuthenticator(), { fields: { passkeyName: "one" } });
  await ada.register(createSoftwareAuthenticator());
  const [first, second] = await idsOf(ada);
  const eve = createPasskeyBrowser(application);
  const nobody = createPasskeyBrowser(application);
  await eve.signIn("eve");
  const before = await (await ada.send("/passkeys")).text();
  for (const [browser, status] of [[eve, 404], [nobody, 401]] as const) {
    const rename = { method: "PATCH", fields: { name: "mine" } };
    assert.equal((await browser.send(`/passkeys/${first}`, rename)).status, status);
    assert.equal((await browser.send(`/passkeys/${first}`, { method: "DELETE" })).status, status);
    assert.equal((await browser.send("/passkeys/AAAA", { method: "DELETE" })).status, status);
  }
  assert.deepEqual(await idsOf(eve), []);
  assert.equal((await nobody.send("/passkeys")).status, 401);
  assert.equal(await (await ada.send("/passkeys")).text(), before);

  const named = { method: "PATCH", fields: { name: " Key ring " } };
  assert.equal((await ada.send(`/passkeys/${first}`, named)).status, 204);
  assert.equal((await (await ada.send("/passkeys")).json())[0].name, "Key ring");
  for (const name of ["x".repeat(65), "a\0b", "a\nb", "a\x7f"]) {
    const wrong = { method: "PATCH", fields: { name } };
    assert.equal((await ada.send(`/passkeys/${first}`, wrong)).status, 400);
  }
  assert.equal((await ada.send(`/passkeys/${first}`, { method: "DELETE" })).status, 204);
  assert.deepEqual(await idsOf(ada), [second]);
  application.close();
});

// Tracks: R127
Deno.test("a passkey is added and removed only after a fresh proof, which a passkey is", async () => {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await browser.signIn();
  await browser.register(authenticator);
  await browser.register(createSoftwareAuthenticator());
  const [first] = await idsOf(browser);
  application.clock.now += 601_000;
  const asked = await browser.send("/passkey/options/register", { method: "POST" });
  assert.equal(asked.status, 401);
  assert.equal((await asked.json()).code, "REAUTHENTICATION_REQUIRED");
  const refused = await browser.send(`/passkeys/${first}`, { method: "DELETE" });
  assert.equal((await refused.json()).code, "REAUTHENTICATION_REQUIRED");
  assert.equal((await browser.send("/passkeys")).status, 200);
  const ask = { reauthenticate: "true" };
  assert.equal((await browser.prove(authenticator, { ask })).status, 200);
  assert.equal((await browser.send(`/passkeys/${first}`, { method: "DELETE" })).status, 204);
  application.close();
});

// Tracks: R127
Deno.test("a passkey that was removed opens nothing from then on, nor does a proof that is under way", async () => {
  const application = createPasskeyApplication();
  const desk = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await desk.signIn();
  await desk.register(authenticator);
  await desk.register(createSoftwareAuthenticator());
  const visitor = createPasskeyBrowser(application);
  const proof = await authenticator.get(await visitor.signInOptions(), ORIGIN);
  const id = toBase64Url(authenticator.credentials[0]!.id);
  await desk.send(`/passkeys/${id}`, { method: "DELETE" });
  const fields = { credential: JSON.stringify(proof) };
  assert.equal((await visitor.send("/signin/passkey", { fields })).status, 401);
  assert.equal((await visitor.prove(authenticator)).status, 401);
  assert.equal(await visitor.user(), null);
  application.close();
});

// Tracks: R127
Deno.test("the last way in stays, unless a proved address is another one", async () => {
  const sendVerificationRequest = () => Promise.resolve();
  const own = passkey({ rpName: "x", rpId: "app.example", origin: ORIGIN, signUp: true });
  for (const mails of [false, true]) {
    for (const address of [null, "ada@example.com"]) {
      const application = createPasskeyApplication({}, {
        providers: [
          own,
          ...mails ? [email({ from: "x@app.example", sendVerificationRequest })] : [],
        ],
      });
      const browser = createPasskeyBrowser(application);
      await browser.register(createSoftwareAuthenticator(), { ask: { name: "Ada" } });
      const set = application.database.sqlite.prepare(
        "UPDATE users SET email = ?1, email_identity = ?1, email_verified = ?2",
      );
      set.run(address, address === null ? null : 1);
      const [id] = await idsOf(browser);
      const remaining = mails && address !== null;
      const response = await browser.send(`/passkeys/${id}`, { method: "DELETE" });
      assert.equal(response.status, remaining ? 204 : 409, `${mails} ${address}`);
      if (!remaining) assert.equal((await response.json()).code, "LAST_WAY_IN");
      assert.deepEqual(await idsOf(browser), remaining ? [] : [id]);
      application.close();
    }
  }
});

// Tracks: R127
Deno.test("of two passkeys that are removed at once one stays, 20 times", async () => {
  for (let time = 0; time < 20; time++) {
    const application = createPasskeyApplication({ signUp: true });
    const browser = createPasskeyBrowser(application);
    await browser.register(createSoftwareAuthenticator(), { ask: { name: "Ada" } });
    await browser.register(createSoftwareAuthenticator());
    const ids = await idsOf(browser);
    const replies = await Promise.all(
      ids.map((id) => browser.send(`/passkeys/${id}`, { method: "DELETE" })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 409]);
    application.close();
  }
});

// Tracks: R127
Deno.test("a passkey is removed where another one remains, also when nobody knows which of them browsers list", async () => {
  for (const residentKey of ["preferred", "discouraged"] as const) {
    const application = createPasskeyApplication({ signUp: true, residentKey });
    const browser = createPasskeyBrowser(application);
    await browser.register(createSoftwareAuthenticator(), { ask: { name: "Ada" } });
    await browser.register(createSoftwareAuthenticator());
    const [first, second] = await idsOf(browser);
    const send = (id: string) => browser.send(`/passkeys/${id}`, { method: "DELETE" });
    assert.equal((await send(first!)).status, 204);
    assert.equal((await (await send(second!)).json()).code, "LAST_WAY_IN");
    application.close();
  }
});

Deno.test("events tell of passkeys that were added and removed", async () => {
  const heard: [string, string | undefined][] = [];
  const events = {
    "passkey-added": ({ type, userId }: { type: string; userId: string }) =>
      heard.push([type, userId]),
    "passkey-removed": ({ type, userId }: { type: string; userId: string }) =>
      heard.push([type, userId]),
  };
  const application = createPasskeyApplication({}, { events });
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  await browser.register(createSoftwareAuthenticator());
  await browser.register(createSoftwareAuthenticator());
  const [first] = await idsOf(browser);
  await browser.send(`/passkeys/${first}`, { method: "DELETE" });
  assert.deepEqual(heard, [
    ["passkey-added", "ada"],
    ["passkey-added", "ada"],
    ["passkey-removed", "ada"],
  ]);
  application.close();
});
