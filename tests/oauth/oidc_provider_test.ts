import assert from "node:assert/strict";
import {
  clientSecretJwt,
  createOidcProvider,
  type OidcProviderConfig,
  privateKeyJwt,
} from "@framework/auth";
import { exportPKCS8 } from "jose";
import {
  DEMO_CLIENT,
  type IdentityProviderOptions,
  startIdentityProvider,
} from "../../scripts/identity_provider.ts";
import { freePort } from "../support/free_port.ts";
import { createOAuthApplication, type OAuthApplication, ORIGIN } from "./application.ts";
import { errorOf } from "./visitor.ts";

/** An application and a provider that know each other. */
interface Pair extends OAuthApplication {
  issuer: string;
  requests: string[];
}

const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

async function createKeys(kid: string): Promise<object> {
  const { privateKey } = await crypto.subtle.generateKey(RSA, true, ["sign", "verify"]);
  const jwk = await crypto.subtle.exportKey("jwk", privateKey);
  return { keys: [{ ...jwk, key_ops: undefined, use: "sig", alg: "RS256", kid }] };
}

/** The keys of every provider here whose keys are not the matter: to make some takes longer than a sign-in. */
const jwks = await createKeys("shared");

async function withPair(
  options: IdentityProviderOptions & { provider?: Partial<OidcProviderConfig> },
  test: (pair: Pair) => Promise<void>,
): Promise<void> {
  const identity = await startIdentityProvider({
    redirectUris: [`${ORIGIN}/auth/callback/local`],
    ...options,
    configuration: { jwks, ...options.configuration },
  });
  const application = createOAuthApplication({
    providers: [
      createOidcProvider({
        id: "local",
        name: "Local",
        issuer: identity.issuer,
        ...DEMO_CLIENT,
        ...options.provider,
      }),
    ],
  });
  try {
    await test({ ...application, issuer: identity.issuer, requests: identity.requests });
  } finally {
    application.close();
    await identity.close();
  }
}

Deno.test("a visitor signs in at a real provider, by plain HTTP, and comes back as the same user", async () => {
  await withPair({}, async ({ visitor, count, log }) => {
    const first = visitor();
    const response = await first.signIn("local", { fields: { callbackUrl: "/welcome?a=1" } });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), `${ORIGIN}/welcome?a=1`);
    const user = await first.user();
    assert.equal(user?.name, "Ada Lovelace");
    assert.deepEqual([...first.jar.lines("localhost:8787").keys()], [
      "framework.session-token",
      "framework.last",
    ]);
    const again = visitor();
    await again.signIn("local");
    assert.equal((await again.user())?.id, user?.id);
    assert.deepEqual([count("users"), count("accounts"), count("sessions")], [1, 1, 2]);
    const other = visitor();
    await other.signIn("local", { as: "grace" });
    assert.notEqual((await other.user())?.id, user?.id);
    assert.equal(count("verifications"), 0);
    assert.deepEqual(
      log.filter(({ event }) => event.startsWith("sign-")).map(({ event, fields }) => [
        event,
        fields.provider,
      ]),
      [
        ["sign-up", "local"],
        ["sign-in", "local"],
        ["sign-in", "local"],
        ["sign-up", "local"],
        ["sign-in", "local"],
      ],
    );
  });
});

Deno.test("a visitor who cancels, or whom the provider does not know, gets a page that says so", async () => {
  await withPair({}, async ({ visitor, count }) => {
    const ada = visitor();
    const cancelled = await ada.signIn("local", { as: null });
    assert.equal(cancelled.status, 303);
    assert.equal(await errorOf(cancelled), "OAUTH_DENIED");
    const page = await ada.send(cancelled.headers.get("location")!);
    assert.match(await page.text(), /role="alert">[^]*<p>The sign-in was cancelled\.<\/p>/);
    assert.deepEqual([count("users"), count("sessions"), count("verifications")], [0, 0, 0]);
  });
});

const CALLBACK = `${ORIGIN}/auth/callback/local`;

function client(more: Record<string, unknown>): Record<string, unknown> {
  return {
    redirect_uris: [CALLBACK],
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
    ...more,
  };
}

// Tracks: R097, R084
Deno.test("every way in which an application can prove itself works, with the strangest of secrets", async () => {
  const pair = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const publicJwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const odd = "s-basic s%c:r+t & \"'".padEnd(40, "=");
  const ascii = "s-basic s%c:r+t &".padEnd(40, "=");
  const cases: [string, Record<string, unknown>, Partial<OidcProviderConfig>][] = [
    ["client_secret_basic", { client_secret: ascii }, { clientSecret: ascii }],
    ["client_secret_basic", { client_secret: ascii }, { clientSecret: ascii, clientAuth: "basic" }],
    ["client_secret_post", { client_secret: odd }, { clientSecret: odd, clientAuth: "post" }],
    ["none", {}, { clientAuth: "none" }],
    ["client_secret_jwt", { client_secret: ascii }, { clientAuth: clientSecretJwt(ascii) }],
    [
      "private_key_jwt",
      { jwks: { keys: [publicJwk] }, token_endpoint_auth_signing_alg: "ES256" },
      { clientAuth: privateKeyJwt({ privateKey: await exportPKCS8(pair.privateKey) }) },
    ],
  ];
  for (const [method, metadata, options] of cases) {
    const clientId = `client of ${method}`.replaceAll(" ", "-");
    await withPair({
      redirectUris: [],
      clients: [client({ client_id: clientId, token_endpoint_auth_method: method, ...metadata })],
      configuration: {
        clientAuthMethods: [
          "client_secret_basic",
          "client_secret_post",
          "client_secret_jwt",
          "private_key_jwt",
          "none",
        ],
        enabledJWA: { clientAuthSigningAlgValues: ["HS256", "ES256"] },
      },
      provider: { clientSecret: undefined, ...options, clientId } as Partial<OidcProviderConfig>,
    }, async ({ visitor }) => {
      const ada = visitor();
      const response = await ada.signIn("local");
      assert.equal(await errorOf(response), null, method);
      assert.equal((await ada.user())?.name, "Ada Lovelace", method);
    });
  }
});

// Tracks: R084, CVE-2025-4144
Deno.test("the request has PKCE by S256, and parameters that no option or address replaces", async () => {
  const provider = { parameters: { ui_locales: "de", login_hint: "x" }, prompt: "login" };
  await withPair({ provider }, async ({ visitor, issuer }) => {
    const starts = [await visitor().start("local"), await visitor().start("local")];
    const [one, two] = starts.map((start) => new URL(start).searchParams);
    assert.equal(new URL(starts[0]!).origin, issuer);
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.match(one!.get(name)!, /^[A-Za-z0-9_-]{43}$/);
      assert.notEqual(one!.get(name), two!.get(name), name);
      for (const other of ["state", "nonce", "code_challenge"]) {
        if (other !== name) assert.notEqual(one!.get(name), one!.get(other));
      }
    }
    const { state: _state, nonce: _nonce, code_challenge: _challenge, ...rest } = Object
      .fromEntries(one!);
    assert.deepEqual(rest, {
      ui_locales: "de",
      login_hint: "x",
      prompt: "login",
      client_id: DEMO_CLIENT.clientId,
      response_type: "code",
      redirect_uri: CALLBACK,
      code_challenge_method: "S256",
      scope: "openid email profile",
    });
  });
});

Deno.test("a provider that wants requests sent ahead gets them so", async () => {
  const configuration = {
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: {
        enabled: true,
        requirePushedAuthorizationRequests: true,
      },
    },
  };
  await withPair({ configuration }, async ({ visitor, requests }) => {
    const ada = visitor();
    const start = new URL(await ada.start("local"));
    assert.deepEqual([...start.searchParams.keys()], ["client_id", "request_uri"]);
    await ada.deliver(await ada.walk(start.href));
    assert.equal((await ada.user())?.name, "Ada Lovelace");
    assert.equal(requests.filter((path) => path === "/request").length, 1);
  });
});

// Tracks: R090
Deno.test("an answer by form comes without the session cookie and works all the same", async () => {
  await withPair({ provider: { responseMode: "form_post" } }, async ({ visitor, count }) => {
    const ada = visitor();
    const callback = await ada.walk(await ada.start("local"));
    assert.deepEqual(Object.keys(callback.form!).sort(), ["code", "iss", "state"]);
    const [[name, line]] = [...ada.jar.lines("localhost:8787")] as [[string, string]];
    assert.match(name, /^__Host-framework\.oauth-/);
    assert.match(line, /; Path=\/; Max-Age=1200; HttpOnly; Secure; SameSite=None$/);
    assert.equal((await ada.deliver(callback)).status, 303);
    assert.equal((await ada.user())?.name, "Ada Lovelace");
    const got = await visitor().send(`/auth/callback/local?${new URLSearchParams(callback.form)}`);
    assert.equal(got.status, 405);
    const cancelled = visitor();
    assert.equal(await errorOf(await cancelled.signIn("local", { as: null })), "OAUTH_DENIED");
    assert.equal(count("sessions"), 1);
  });
});

// Tracks: R099
Deno.test("prompt=none fails for who is not signed in there, and nothing is left of it", async () => {
  await withPair({ provider: { prompt: "none" } }, async ({ visitor, log, count }) => {
    const response = await visitor().signIn("local");
    assert.equal(await errorOf(response), "OAUTH_PROVIDER_ERROR");
    assert.equal(count("verifications"), 0);
    const told = log.find(({ event }) => event === "provider-failed");
    assert.match(String(told?.fields.message), /login_required/);
  });
});

Deno.test("prompt=none signs in whoever is signed in at the provider, without a page", async () => {
  const identity = await startIdentityProvider({
    redirectUris: [CALLBACK, `${ORIGIN}/auth/callback/silent`],
    configuration: { jwks },
  });
  const common = { name: "Local", issuer: identity.issuer, ...DEMO_CLIENT };
  const application = createOAuthApplication({
    providers: [
      createOidcProvider({ ...common, id: "local" }),
      createOidcProvider({ ...common, id: "silent", prompt: "none" }),
    ],
  });
  const ada = application.visitor();
  await ada.signIn("local");
  const pages = () => identity.requests.filter((path) => path.startsWith("/interaction/")).length;
  const before = pages();
  assert.equal(await errorOf(await ada.signIn("silent")), null);
  assert.equal(pages(), before);
  assert.equal((await ada.user())?.name, "Ada Lovelace");
  application.close();
  await identity.close();
});

// Tracks: R098, F29
Deno.test("a callback that comes again, from the same or another browser, signs nobody in", async () => {
  await withPair({}, async ({ visitor, count, requests }) => {
    const ada = visitor();
    const callback = await ada.walk(await ada.start("local"));
    const cookie = ada.jar.header(callback.url);
    await ada.deliver(callback);
    const tokenCalls = () => requests.filter((path) => path === "/token").length;
    assert.equal(tokenCalls(), 1);
    for (const browser of [ada, visitor()]) {
      assert.equal(await errorOf(await browser.deliver(callback)), "OAUTH_STATE_UNKNOWN");
      assert.equal(
        await errorOf(await browser.deliver(callback, { cookie, accept: "application/json" })),
        "OAUTH_STATE_UNKNOWN",
      );
    }
    assert.deepEqual([tokenCalls(), count("sessions")], [1, 1]);
    assert.equal((await ada.user())?.name, "Ada Lovelace");
  });
});

// Tracks: F01, K4, GHSA-hc7v-rggr-4hvx
Deno.test("of twenty callbacks with one code at once, one signs in", async () => {
  await withPair({}, async ({ visitor, count, requests }) => {
    const ada = visitor();
    const callback = await ada.walk(await ada.start("local"));
    const cookie = ada.jar.header(callback.url);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => visitor().deliver(callback, { cookie })),
    );
    const codes = await Promise.all(answers.map(errorOf));
    assert.equal(codes.filter((code) => code === null).length, 1);
    assert.equal(codes.filter((code) => code === "OAUTH_STATE_UNKNOWN").length, 19);
    assert.equal(count("sessions"), 1);
    assert.equal(requests.filter((path) => path === "/token").length, 1);
  });
});

// Tracks: R093, F24
Deno.test("a provider with new keys is asked for them, and a thousand wrong ones are not", async () => {
  const port = freePort();
  const options = { port, redirectUris: [CALLBACK] };
  const first = await startIdentityProvider({
    ...options,
    configuration: { jwks: await createKeys("a") },
  });
  const provider = { id: "local", name: "Local", issuer: first.issuer, ...DEMO_CLIENT };
  const application = createOAuthApplication({ providers: [createOidcProvider(provider)] });
  const { visitor, clock } = application;
  const ada = visitor();
  assert.equal(await errorOf(await ada.signIn("local")), null);
  await first.close();
  const second = await startIdentityProvider({
    ...options,
    configuration: { jwks: await createKeys("b") },
  });
  const fetched = (running: { requests: string[] }) =>
    running.requests.filter((path) => path === "/jwks").length;
  try {
    const parallel = await Promise.all(
      Array.from({ length: 5 }, () => visitor().signIn("local").then(errorOf)),
    );
    assert.deepEqual(parallel, [null, null, null, null, null]);
    assert.deepEqual([fetched(first), fetched(second)], [1, 1]);
    assert.equal(await errorOf(await visitor().signIn("local")), null);
    assert.equal(fetched(second), 1);
  } finally {
    await second.close();
  }
  const third = await startIdentityProvider({
    ...options,
    configuration: { jwks: await createKeys("c") },
  });
  try {
    // Within the cool-down nobody is asked again; after it the new keys are found.
    assert.equal(await errorOf(await visitor().signIn("local")), "OAUTH_RESPONSE_INVALID");
    assert.equal(fetched(third), 0);
    clock.shift = 61_000;
    assert.equal(await errorOf(await visitor().signIn("local")), null);
    assert.equal(fetched(third), 1);
  } finally {
    application.close();
    await third.close();
  }
});
