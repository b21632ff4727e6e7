import assert from "node:assert/strict";
import { passkey } from "./provider.ts";
import { ORIGIN } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { listPasskeys, removePasskey } from "./operations.ts";

function cookieOf({ cookies }: PasskeyBrowser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

// Tracks: GHSA-4vcf-q4xf-f48m
Deno.test("listPasskeys() and removePasskey() are about the own passkeys only", async () => {
  const events: string[] = [];
  const application = createPasskeyApplication({}, {
    events: { "passkey-removed": ({ userId, provider }) => events.push(`${userId} ${provider}`) },
  });
  const [ada, eve] = [createPasskeyBrowser(application), createPasskeyBrowser(application)];
  await ada.signIn();
  await eve.signIn("eve");
  for (const passkeyName of ["Laptop", "Phone"]) {
    application.clock.now += 1000;
    await ada.register(createSoftwareAuthenticator(), { fields: { passkeyName } });
  }
  const { result: listed } = await during(application, cookieOf(ada), listPasskeys);
  assert.deepEqual(listed.map(({ name }) => name), ["Laptop", "Phone"]);
  assert.ok(!JSON.stringify(listed).includes("publicKey"));
  assert.deepEqual((await during(application, cookieOf(eve), listPasskeys)).result, []);
  const [{ id }] = listed as [typeof listed[0]];
  assert.equal((await during(application, cookieOf(eve), () => removePasskey(id))).result, false);
  assert.equal((await during(application, cookieOf(ada), () => removePasskey(id))).result, true);
  assert.equal((await during(application, cookieOf(ada), () => removePasskey(id))).result, false);
  assert.deepEqual(events, ["ada passkey"]);
  application.close();
});

// Tracks: R111
Deno.test("without configured origins a passkey counts at the own address and nowhere else", async () => {
  const application = createPasskeyApplication({}, {
    providers: [passkey({ rpName: "The application", rpId: "app.example", signUp: true })],
  });
  const ask = { name: "Ada" };
  const authenticator = createSoftwareAuthenticator();
  const elsewhere = "https://evil.app.example";
  const foreign = await createPasskeyBrowser(application)
    .register(createSoftwareAuthenticator(), { ask, origin: elsewhere });
  assert.equal((await foreign.json()).code, "PASSKEY_NOT_ADDED");
  const ada = createPasskeyBrowser(application);
  const registered = await ada.register(authenticator, { ask, origin: ORIGIN });
  assert.equal(registered.status, 200, await registered.text());
  const again = createPasskeyBrowser(application);
  const refused = await again.prove(authenticator, { origin: elsewhere });
  assert.equal((await refused.json()).code, "PASSKEY_REFUSED");
  assert.equal((await again.prove(authenticator)).status, 200);
  assert.equal(await again.user(), await ada.user());
  application.close();
});
