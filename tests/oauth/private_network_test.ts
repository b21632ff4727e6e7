import {
  ConfigurationError,
  createOAuth2Provider,
  createOidcProvider,
  type OAuth2ProviderConfig,
  type OidcProviderConfig,
} from "@framework/auth";
import { type Browser, createTestIdentityProvider } from "@framework/testing";
import assert from "node:assert/strict";
import { createOAuthApplication, ORIGIN } from "./application.ts";
import { createCookieJar } from "./visitor.ts";

const ISSUER = "http://keycloak:8080/realms/app";
const CLIENT = { id: "company", name: "Company", clientId: "app", clientSecret: "secret" };

function oidc(config: Partial<OidcProviderConfig> = {}) {
  return createOidcProvider({ ...CLIENT, issuer: ISSUER, insecureHttp: true, ...config });
}

function oauth2(config: Partial<OAuth2ProviderConfig> = {}) {
  return createOAuth2Provider({
    ...CLIENT,
    authorization: `${ISSUER}/authorize`,
    token: `${ISSUER}/token`,
    userinfo: `${ISSUER}/userinfo`,
    insecureHttp: true,
    profile: (said) => ({ id: (said as { sub: string }).sub, name: "Ada" }),
    ...config,
  });
}

/** An application behind which such a provider answers, and a browser. */
function open(provider: ReturnType<typeof oidc>) {
  const answers = new Map<string, (request: Request) => unknown>();
  const called: string[] = [];
  const application = createOAuthApplication({
    providers: [provider],
    async fetch(input, init) {
      const request = new Request(input, init);
      called.push(`${request.method} ${request.url}`);
      const answer = answers.get(`${request.method} ${request.url}`) ?? answers.get(request.url);
      if (answer === undefined) return new Response(null, { status: 404 });
      const said = await answer(request);
      return said instanceof Response ? said : Response.json(said);
    },
  });
  const jar = createCookieJar();
  const browser: Browser = {
    async fetch(path, init = {}) {
      const url = new URL(path, ORIGIN).href;
      const request = new Request(url, init as RequestInit);
      request.headers.set("cookie", jar.header(url));
      if (request.method === "POST") request.headers.set("origin", ORIGIN);
      const response = await application.auth.handle(request, {});
      jar.store(url, response!);
      return response!;
    },
    onFetch(pattern: unknown, answer?: unknown) {
      answers.set(String(pattern), answer as (request: Request) => unknown);
      return { requests: [], remove() {} };
    },
    clock: { now: Date.now, advance: () => Promise.resolve() },
  };
  return { ...application, browser, called };
}

for (const [name, make] of Object.entries({ oidc, oauth2 })) {
  // Tracks: AU-14
  Deno.test(`insecureHttp lets a provider be at a host of a private network, and says so (${name})`, async () => {
    const { browser, called, count, log, close } = open(make());
    const provider = createTestIdentityProvider(browser, {
      issuer: ISSUER,
      openid: name === "oidc",
    });
    const answer = await provider.signIn("company", { sub: "1", name: "Ada" });
    assert.equal(answer.status, 303, await answer.text());
    assert.deepEqual([count("users"), count("sessions")], [1, 1]);
    assert.ok(called.includes(`POST ${ISSUER}/token`));
    assert.deepEqual(
      log.filter(({ event }) => event === "provider-without-https").map(({ level, fields }) => [
        level,
        fields.provider,
      ]),
      [["warn", "company"]],
    );
    close();
  });
}

// Tracks: AU-14
Deno.test("a private host without https is taken by insecureHttp alone, and no public one by it", () => {
  const hosts = ["keycloak", "id.internal", "id.home.arpa", "id.auth.svc.cluster.local"];
  const addresses = ["10.0.0.1", "172.16.4.1", "192.168.1.9", "[fd00::1]"];
  for (const host of [...hosts, ...addresses]) {
    const issuer = `http://${host}:8080`;
    oidc({ issuer });
    assert.throws(() => oidc({ issuer, insecureHttp: false }), /insecureHttp: true/);
  }
  for (
    const issuer of [
      "http://id.example",
      "http://id.example.com:8080",
      "http://8.8.8.8",
      "http://172.32.0.1",
      "http://169.254.169.254", // metadata of a cloud's machines
      "http://[2001:db8::1]",
      "http://user:word@keycloak",
      "http://keycloak/#a",
      "ftp://keycloak",
    ]
  ) {
    assert.throws(() => oidc({ issuer }), ConfigurationError, issuer);
  }
  assert.throws(() => oidc({ issuer: "https://id.example" }), /only for http at a host of a priv/);
  assert.throws(() => oidc({ insecureHttp: "yes" as never }), ConfigurationError);
  assert.throws(() => oauth2({ token: "http://other:8080/token", insecureHttp: false }));
});

// Tracks: AU-14
Deno.test("a description leads to no other host without https, whatever insecureHttp says", async () => {
  for (const token of ["http://metadata/token", "http://10.0.0.1/token", "http://id.example/t"]) {
    const { browser, called, log, close } = open(oidc());
    createTestIdentityProvider(browser, { issuer: ISSUER, endpoints: { token } });
    const answer = await browser.fetch("/auth/signin/company", {
      method: "POST",
      body: new URLSearchParams(),
    });
    assert.match(answer.headers.get("location") ?? "", /error=OAUTH_RESPONSE_INVALID/);
    assert.ok(log.some(({ event }) => event === "provider-failed"));
    assert.deepEqual(called.filter((call) => call.endsWith(token)), []);
    close();
  }
});

// Tracks: AU-14
Deno.test("a provider that does not answer at the start of a sign-in is an error in the log, by its name", async () => {
  const { browser, log, close } = open(oidc());
  const answer = await browser.fetch("/auth/signin/company", {
    method: "POST",
    body: new URLSearchParams(),
  });
  assert.match(answer.headers.get("location") ?? "", /error=OAUTH_RESPONSE_INVALID/);
  const [line] = log.filter(({ event }) => event === "provider-failed");
  assert.deepEqual([line?.level, line?.fields.provider], ["error", "company"]);
  assert.match(String(line?.fields.message), /keycloak:8080 answered with status 404/);
  close();
});
