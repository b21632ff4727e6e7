// The hosts of tenants: which are the application's own address, and what it sends there.
import assert from "node:assert/strict";
import {
  createAuth,
  createOAuth2Provider,
  email,
  type EmailParams,
  ownUrl,
  passkey,
} from "@framework/auth";
import { createSqlTenantStorage } from "@framework/auth/tenant";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../auth/tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { BY_NAME, createTwoTenants } from "./two_tenants.ts";

// Tracks: R137
Deno.test("the hosts of tenants are the application's own, and no others", async () => {
  const app = createTwoTenants("subdomain");
  const rows: [string, boolean][] = [
    ["https://acme.app.example", true],
    ["https://app.example", true],
    ["https://acme.app.example:8443", false],
    ["https://unknown.app.example", false],
    ["https://x.acme.app.example", false],
    ["https://evilapp.example", false],
    ["https://acme.app.example.", false],
    ["https://other.example", false],
  ];
  for (const [origin, own] of rows) {
    const request = new Request(`${origin}/auth/signin/credentials`, {
      method: "POST",
      headers: { origin, accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ name: "ada" }),
    });
    const response = await app.auth.handle(request, {});
    assert.equal(response!.status === 200, own, `${origin}: ${response!.status}`);
    assert.equal(response!.headers.getSetCookie().length > 0, own, origin);
  }
  app.close();
  const byPath = createTwoTenants("path");
  const elsewhere = new Request("https://acme.app.example/auth/signin/credentials", {
    method: "POST",
    headers: { origin: "https://acme.app.example", "content-type": "application/json" },
    body: JSON.stringify({ name: "ada" }),
  });
  assert.notEqual((await byPath.auth.handle(elsewhere, {}))!.status, 200);
  byPath.close();
});

// Tracks: R137
Deno.test("behind a platform that routes every host of the domain, those of tenants and other domains are the own", async () => {
  const routed = globalThis as { [key: symbol]: unknown };
  const app = createTwoTenants("subdomain");
  await createSqlTenantStorage(app.database).update("id-base", { suspended: true });
  const rows: [origin: string, status: number][] = [
    ["https://acme.app.example", 200],
    ["https://app.example", 200],
    ["https://other.example", 200],
    ["https://x.app.example.com", 200],
    ["https://unknown.app.example", 421],
    ["https://base.app.example", 421],
    ["https://x.acme.app.example", 421],
    ["https://x.acme.app.example.", 421],
    ["https://unknown.app.example:8443", 421],
  ];
  const { allowedHosts: _, ...options } = app.options;
  routed[Symbol.for("framework.routed")] = true;
  try {
    const auth = createAuth(options);
    for (const [origin, status] of rows) {
      const request = new Request(`${origin}/auth/signin/credentials`, {
        method: "POST",
        headers: { origin, accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify({ name: "ada" }),
      });
      const response = await auth.handle(request, {});
      assert.equal(response!.status, status, `${origin}: ${await response!.text()}`);
    }
  } finally {
    delete routed[Symbol.for("framework.routed")];
  }
  app.close();
});

// Tracks: R090, R137
Deno.test("a passkey that is proved on a host of the domain that is no tenant's signs nobody in", async () => {
  const app = createTwoTenants("subdomain", {
    baseUrl: "https://app.example",
    providers: [BY_NAME, passkey({ rpId: "app.example" })],
  });
  const browserAt = (host: string, origin: string): PasskeyBrowser =>
    createPasskeyBrowser({
      async send(path, { fields, cookie }) {
        const headers = new Headers({ origin, accept: "application/json" });
        if (cookie !== undefined) headers.set("cookie", cookie);
        const body = fields && JSON.stringify(fields);
        if (body) headers.set("content-type", "application/json");
        const request = new Request(`https://${host}/auth${path}`, {
          method: body ? "POST" : "GET",
          headers,
          ...body && { body },
        });
        return (await app.auth.handle(request, {}))!;
      },
    });
  const [own, evil] = ["https://acme.app.example", "https://evil.app.example"];
  const authenticator = createSoftwareAuthenticator({ userVerified: true });
  const ada = browserAt("acme.app.example", own);
  await ada.send("/signin/credentials", { fields: { name: "ada" } });
  assert.equal((await ada.register(authenticator, { origin: own })).status, 200);
  assert.equal((await ada.prove(authenticator, { origin: own })).status, 200);
  // The attacker relays to the application under its own host, as a page of that, or of the application.
  for (const origin of [evil, "https://app.example"]) {
    const relay = browserAt("evil.app.example", origin);
    const asked = await relay.send("/passkey/options/authenticate", { fields: {} });
    assert.equal(asked.status, origin === evil ? 403 : 200);
    if (origin === evil) continue;
    const stolen = await relay.prove(authenticator, { origin: evil });
    assert.deepEqual([stolen.status, (await stolen.json()).code], [401, "PASSKEY_REFUSED"]);
    assert.equal(await relay.user(), null);
  }
  app.close();
});

// Tracks: R090, R137
Deno.test("a host of the domain that is no tenant's gets no link, no callback and no page of its own", async () => {
  const mails: EmailParams[] = [];
  const app = createTwoTenants("subdomain", {
    baseUrl: "https://app.example",
    providers: [
      email({
        from: "App <hello@app.example>",
        sendVerificationRequest: (mail) => Promise.resolve(void mails.push(mail)),
      }),
      createOAuth2Provider({
        id: "other",
        name: "Other",
        clientId: "client",
        clientSecret: "secret",
        authorization: "https://other.example/authorize",
        token: "https://other.example/token",
        userinfo: "https://other.example/me",
        profile: () => ({ id: "1" }),
      }),
    ],
  });
  async function post(host: string, path: string, origin = `https://${host}`): Promise<Response> {
    const later: Promise<unknown>[] = [];
    const response = await app.auth.handle(
      new Request(`https://${host}/auth${path}`, {
        method: "POST",
        headers: { origin, "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ email: "ada@example.com" }),
      }),
      {},
      { waitUntil: (work) => void later.push(work) },
    );
    await Promise.all(later);
    return response!;
  }
  const tenants = createSqlTenantStorage(app.database);
  const rows: [host: string, own: boolean][] = [
    ["acme.app.example", true],
    ["evil.app.example", false],
    ["base.app.example", true],
    ["base.app.example", false],
  ];
  for (const [host, own] of rows) {
    // By the last row its tenant is suspended.
    await tenants.update("id-base", { suspended: !own });
    const refused = await post(host, "/signin/email");
    assert.equal(refused.status === 403, !own, `${host} ${own}`);
    // As from a page of the application at another address.
    const origin = own ? `https://${host}` : "https://app.example";
    app.clock.now += 3_600_000;
    mails.length = 0;
    assert.equal((await post(host, "/signin/email", origin)).status, 200, host);
    assert.equal(new URL(mails[0]!.url).origin, origin);
    const { redirectTo } = await (await post(host, "/signin/other", origin)).json();
    const back = new URL(redirectTo).searchParams.get("redirect_uri");
    assert.equal(back, `${origin}/auth/callback/other`);
    const page = await app.auth.run(
      new Request(`https://${host}/page`),
      {},
      undefined,
      () => Response.json(ownUrl("/here")),
    );
    assert.equal(await page.json(), `${origin}/here`);
  }
  // Where nobody can tell whose host it is, nothing is sent.
  app.database.fail = "D1_ERROR: out of order";
  mails.length = 0;
  assert.equal((await post("acme.app.example", "/signin/email")).status, 503);
  assert.equal(mails.length, 0);
  app.close();
});
