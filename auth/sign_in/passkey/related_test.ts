import assert from "node:assert/strict";
import { ConfigurationError, type RequestError } from "../../errors.ts";
import { inVisit } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { passkey } from "./provider.ts";
import { relatedOriginsResponse } from "./related.ts";

const RELATED = "https://app.de";

Deno.test("relatedOrigins are at most five exact origins with https, of other domains", () => {
  const make = (relatedOrigins: unknown, rpId: string | undefined = "app.example") =>
    passkey({ ...rpId !== undefined && { rpId }, relatedOrigins: relatedOrigins as string[] });
  const five = [1, 2, 3, 4, 5].map((n) => `https://app${n}.example`);
  make(five);
  make([]);
  const wrong = [
    "https://app.de",
    [...five, "https://app6.example"],
    ["http://app.de"],
    ["http://localhost:8787"],
    ["https://app.de/"],
    ["https://APP.de"],
    ["https://app.de:443"],
    ["https://*.app.de"],
    ["https://user@app.de"],
    ["https://app.example"],
    ["https://www.app.example"],
    ["app.de"],
    [null],
    ["https://app.de", "https://app.de"],
  ];
  for (const one of wrong) {
    assert.throws(() => make(one), ConfigurationError, JSON.stringify(one));
  }
  // Its own address would be another domain in each deployment.
  assert.throws(() => passkey({ relatedOrigins: [RELATED] }), ConfigurationError);
});

// Tracks: R179
Deno.test("a passkey is accepted from a related origin, and from no other that a request names", async () => {
  const application = createPasskeyApplication({ relatedOrigins: [RELATED] });
  const desk = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await desk.signIn();
  assert.equal((await desk.register(authenticator, { origin: RELATED })).status, 200);
  const origins = [
    [RELATED, 200],
    ["https://app.example", 200],
    ["https://www.app.de", 401],
    ["http://app.de", 401],
    ["https://app.de:8443", 401],
    ["https://app.de.evil.example", 401],
    ["https://evil.example", 401],
  ] as const;
  for (const [origin, status] of origins) {
    assert.equal((await desk.prove(authenticator, { origin })).status, status, origin);
  }
  application.close();
});

// Tracks: R179
Deno.test("a related origin is trusted for nothing else", async () => {
  const application = createPasskeyApplication({ relatedOrigins: [RELATED] });
  const cookie = await application.signIn();
  const headers = { origin: RELATED, "sec-fetch-site": "cross-site" };
  const paths = ["/signout", "/signin/credentials", "/signin/passkey", "/passkey/register"];
  for (const path of [...paths, "/passkey/options/register", "/passkey/options/authenticate"]) {
    const response = await application.send(path, { fields: {}, cookie, headers });
    assert.equal(response.status, 403, path);
    assert.equal(response.headers.get("access-control-allow-origin"), null, path);
  }
  const response = await application.send("/signin/credentials", {
    fields: { name: "ada", password: "right", callbackUrl: `${RELATED}/inside` },
  });
  assert.ok(!response.headers.get("location")?.startsWith(RELATED));
  application.close();
});

// Tracks: R179
Deno.test("/.well-known/webauthn says what is configured, whatever the request says", async () => {
  const application = createPasskeyApplication({ relatedOrigins: [RELATED, "https://app.fr"] });
  for (const host of ["app.example", "evil.example", "app.de"]) {
    const request = new Request(`https://${host}/.well-known/webauthn`, {
      headers: { host, origin: `https://${host}`, "x-forwarded-host": "evil.example" },
    });
    const response = await application.auth.run(request, {}, undefined, relatedOriginsResponse);
    assert.equal(response.headers.get("content-type"), "application/json", host);
    assert.deepEqual(await response.json(), { origins: [RELATED, "https://app.fr"] }, host);
  }
  application.close();
  const without = createPasskeyApplication();
  await inVisit(without, () => {
    assert.throws(relatedOriginsResponse, (error: RequestError) => error.code === "NOT_FOUND");
    return new Response();
  });
  without.close();
});
