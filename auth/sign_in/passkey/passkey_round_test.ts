import assert from "node:assert/strict";
import { ORIGIN } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";

for (const algorithm of ["ES256", "RS256", "EdDSA"] as const) {
  Deno.test(`a passkey is added by who is signed in, and signs in without a name (${algorithm})`, async () => {
    const application = createPasskeyApplication();
    const authenticator = createSoftwareAuthenticator({ algorithm });
    const desk = createPasskeyBrowser(application);
    await desk.signIn();
    const added = await desk.register(authenticator, { fields: { passkeyName: " Laptop " } });
    assert.equal(added.status, 200, await added.clone().text());
    assert.deepEqual(await added.json(), {
      id: (await (await desk.send("/passkeys")).json())[0].id,
      name: "Laptop",
      deviceType: "multiDevice",
      backedUp: true,
      transports: ["internal"],
      createdAt: new Date(application.clock.now).toISOString(),
      lastUsedAt: null,
    });
    const other = createPasskeyBrowser(application);
    const response = await other.prove(authenticator, { fields: { callbackUrl: "/inside" } });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal((await response.json()).redirectTo, `${ORIGIN}/inside`);
    assert.equal(await other.user(), "ada");
    application.close();
  });
}
