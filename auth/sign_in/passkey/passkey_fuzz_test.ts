import fc from "fast-check";
import assert from "node:assert/strict";
import { ORIGIN } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";

// Tracks: R119, R123
Deno.test("no answer of any bytes makes a passkey, a session or an error of the server", async () => {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await browser.signIn();
  await browser.register(authenticator);
  const cookies = new Map(browser.cookies);
  const bytes = fc.uint8Array({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat(400), async (junk, at) => {
      const cut = { attestation: () => junk, authenticatorData: () => junk };
      const made = await browser.register(createSoftwareAuthenticator(), { faults: cut });
      assert.equal(made.status, 400);
      const flipped = await browser.register(createSoftwareAuthenticator(), {
        faults: {
          authenticatorData(data) {
            // Everything but the counter, the authenticator's model and the id, which may be anything.
            const place = at % 33;
            data[place]! ^= place === 32 ? 0x01 : 0xff;
            return data;
          },
        },
      });
      assert.equal(flipped.status, 400);
      const visitor = createPasskeyBrowser(application);
      const proof = await visitor.prove(authenticator, {
        faults: { authenticatorData: () => junk },
      });
      assert.equal(proof.status, 401);
      const signed = await visitor.prove(authenticator, { faults: { signature: () => junk } });
      assert.equal(signed.status, 401);
    }),
    { numRuns: 60 },
  );
  const json = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(json, async (credential) => {
      for (const path of ["/signin/passkey", "/passkey/register"]) {
        const response = await browser.send(path, { fields: { credential } });
        assert.ok(response.status === 400 || response.status === 401, `${path}: ${credential}`);
      }
    }),
    { numRuns: 200 },
  );
  assert.equal(
    browser.cookies.get("framework.session-token"),
    cookies.get("framework.session-token"),
  );
  assert.equal((await (await browser.send("/passkeys")).json()).length, 1);
  assert.equal((await browser.prove(authenticator, { origin: ORIGIN })).status, 200);
  application.close();
});
