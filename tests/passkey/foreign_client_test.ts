// @simplewebauthn/browser, a client that knows nothing of this library, against its endpoints in Chromium.
import { createMemoryStorage, credentials, passkey } from "@framework/auth";
import assert from "node:assert/strict";
import { findChromium } from "../../scripts/chromium.ts";
import { bundlePage, serveClientSite } from "../client/client_site.ts";
import { launchBrowser } from "../support/browser.ts";
import { createDevice } from "./device.ts";

const SCRIPT = `
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";

async function post(path, fields = {}) {
  const response = await fetch("/auth" + path, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}
async function register() {
  const { body: optionsJSON } = await post("/passkey/options/register");
  const credential = await startRegistration({ optionsJSON });
  return await post("/passkey/register", { credential: JSON.stringify(credential) });
}
async function authenticate(fields) {
  const { body: optionsJSON } = await post("/passkey/options/authenticate", fields);
  const credential = await startAuthentication({ optionsJSON });
  return await post("/signin/passkey", { credential: JSON.stringify(credential), ...fields });
}
document.querySelector("#app").innerHTML = '<label>Name <input></label>';
Object.assign(globalThis, { post, register, authenticate });
`;

// Tracks: R124
Deno.test({
  name:
    "@simplewebauthn/browser registers a passkey, signs in with it, and proves who is there once more",
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const site = serveClientSite(await bundlePage(SCRIPT), (origin) => ({
      database: createMemoryStorage(),
      baseUrl: origin,
      providers: [
        credentials({
          credentials: { name: { label: "Name", type: "text" } },
          authorize: ({ name }) => Promise.resolve({ id: name!, name: name! }),
        }),
        passkey({ rpName: "The application", rpId: "localhost", origin }),
      ],
    }));
    const browser = await launchBrowser();
    try {
      const { page, complaints } = await createDevice(browser);
      await page.goto(site.origin);
      await page.getByLabel("Name").waitFor();
      const run = (code: string) =>
        page.evaluate(code) as Promise<{ status: number; body: Record<string, unknown> }>;
      assert.equal((await run(`post("/signin/credentials", { name: "ada" })`)).status, 200);
      const added = await run("register()");
      assert.deepEqual([added.status, added.body.deviceType], [200, "multiDevice"]);
      const again = await page.evaluate("register().catch(({ code, name }) => code ?? name)");
      assert.equal(again, "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED");
      await run(`post("/signout")`);
      const signedIn = await run("authenticate({})");
      assert.equal(signedIn.status, 200);
      assert.equal((signedIn.body.user as { id: string }).id, "ada");
      const anew = await run(`authenticate({ reauthenticate: "true" })`);
      assert.equal(anew.status, 200);
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
      await site.close();
    }
  },
});
