// deno-lint-ignore-file camelcase -- the names of OAuth 2.0 and OpenID Connect

import assert from "node:assert/strict";
import process from "node:process";
import {
  apple,
  chatPlatformProvider,
  codeHostProvider,
  ConfigurationError,
  createAuth,
  createDeviceMakerSecret,
  createMemoryStorage,
  createOAuth2Provider,
  createOidcProvider,
  deviceMakerProvider,
  discord,
  github,
  google,
  type Provider,
  remoteKeys,
  searchPortalProvider,
} from "@framework/auth";
import * as main from "@framework/auth";
import * as convention from "@framework/auth/convention";
import { decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import {
  createSigningProvider,
  type ProviderCall,
  type SigningProvider,
} from "../support/signing_provider.ts";
import { createOAuthApplication, type OAuthApplication, ORIGIN } from "./application.ts";
import { answerOf } from "./fake_provider.ts";
import { errorOf } from "./visitor.ts";

const CREDENTIALS = { clientId: "app", clientSecret: "secret" };

/** An application with one provider, whose servers answer by address. */
function createPlace(
  provider: Provider,
  answers: Record<string, (seen: ProviderCall) => unknown>,
): OAuthApplication & { seen: ProviderCall[] } {
  const seen: ProviderCall[] = [];
  const application = createOAuthApplication({
    providers: [provider],
    async fetch(input, init) {
      const request = new Request(input, init);
      const { url, method, headers } = request;
      const call = { url, method, headers, body: new URLSearchParams(await request.text()) };
      seen.push(call);
      const answer = answers[url];
      if (answer === undefined) throw new Error(`Nobody answers ${url}`);
      return Response.json(await answer(call));
    },
  });
  return { ...application, seen };
}

function userRow({ sqlite }: OAuthApplication): Record<string, unknown> {
  const row = sqlite.prepare(
    "SELECT email, name, image, email_verified, email_identity FROM users",
  ).get();
  const account = sqlite.prepare("SELECT provider_account_id AS id, type FROM accounts").get();
  const { email_verified: verified, email_identity: identity, ...rest } = row as Record<
    string,
    unknown
  >;
  // Only a proved address identifies somebody.
  assert.equal(identity !== null, verified !== null);
  return { ...rest, ...account as object, isVerified: verified !== null };
}

const HUB_USER = {
  id: 583231,
  login: "ada",
  name: null,
  email: "shown@example.com",
  avatar_url: "https://avatars.example/u/583231",
};

// Tracks: R088, R101, R103
Deno.test("codeHostProvider() takes the verified primary address, and the issuer that the provider names", async () => {
  const emails = [
    { email: "old@example.com", primary: false, verified: true },
    { email: "ada@example.com", primary: true, verified: true },
  ];
  const cases: [string, unknown, unknown, object | null][] = [
    ["verified", HUB_USER, emails, { email: "ada@example.com", isVerified: true }],
    ["none", HUB_USER, [], { email: null, isVerified: false }],
    ["unverified", HUB_USER, [{ ...emails[1], verified: false }], {
      email: "ada@example.com",
      isVerified: false,
    }],
    ["verified as a text", HUB_USER, [{ ...emails[1], verified: "yes" }], {
      email: "ada@example.com",
      isVerified: false,
    }],
    ["no id", { ...HUB_USER, id: undefined }, emails, null],
    ["id that is a text", { ...HUB_USER, id: "583231" }, emails, null],
    ["no list", HUB_USER, { message: "no" }, { email: null, isVerified: false }],
  ];
  for (const [what, user, list, expected] of cases) {
    const place = createPlace(codeHostProvider(CREDENTIALS), {
      "https://github.com/login/oauth/access_token": () => ({
        access_token: "token",
        token_type: "bearer",
        scope: "read:user,user:email",
      }),
      "https://api.github.com/user": () => user,
      "https://api.github.com/user/emails": () => list,
    });
    const ada = place.visitor();
    const start = await ada.start("github");
    const { origin, pathname, searchParams } = new URL(start);
    assert.equal(origin + pathname, "https://github.com/login/oauth/authorize");
    assert.equal(searchParams.get("scope"), "read:user user:email");
    const iss = "https://github.com/login/oauth";
    const error = await errorOf(await ada.send(answerOf(start, "code", { iss })));
    assert.equal(error, expected === null ? "OAUTH_PROFILE_INVALID" : null, what);
    if (expected !== null) {
      const { image, name, id, type, ...rest } = userRow(place);
      assert.deepEqual(rest, expected, what);
      assert.deepEqual([id, type, name, image], ["583231", "oauth", "ada", HUB_USER.avatar_url]);
    }
    const [token, me] = place.seen;
    assert.equal(token!.body.get("client_secret"), "secret");
    assert.equal(me!.headers.get("authorization"), "Bearer token");
    assert.equal(me!.headers.get("user-agent"), "@framework/auth");
    place.close();
  }
});

Deno.test("codeHostProvider() does not ask for addresses that it may not read", async () => {
  const place = createPlace(codeHostProvider({ ...CREDENTIALS, scope: "read:user" }), {
    "https://github.com/login/oauth/access_token": () => ({
      access_token: "token",
      token_type: "bearer",
      scope: "read:user",
    }),
    "https://api.github.com/user": () => HUB_USER,
  });
  const ada = place.visitor();
  assert.equal(await errorOf(await ada.send(answerOf(await ada.start("github"), "code"))), null);
  assert.equal(userRow(place).email, null);
  place.close();
});

// Tracks: R088
Deno.test("codeHostProvider() refuses an answer in another's name", async () => {
  const place = createPlace(codeHostProvider(CREDENTIALS), {});
  const ada = place.visitor();
  const answer = answerOf(await ada.start("github"), "code", { iss: "https://evil.example" });
  assert.equal(await errorOf(await ada.send(answer)), "OAUTH_RESPONSE_INVALID");
  assert.deepEqual(place.seen, []);
  place.close();
});

Deno.test("chatPlatformProvider() reads name, picture and the verified address", async () => {
  const user = { id: "80351110224678912", username: "ada", avatar: "8342729096ea" };
  for (const verified of [true, false, undefined, "false", "true"]) {
    const place = createPlace(chatPlatformProvider(CREDENTIALS), {
      "https://discord.com/api/oauth2/token": () => ({
        access_token: "token",
        token_type: "Bearer",
        expires_in: 604800,
        refresh_token: "refresh",
        scope: "identify email",
      }),
      "https://discord.com/api/users/@me": () => ({
        ...user,
        global_name: "Ada",
        email: "ada@example.com",
        verified,
      }),
    });
    const ada = place.visitor();
    const start = await ada.start("discord");
    assert.equal(new URL(start).searchParams.get("scope"), "identify email");
    assert.equal(await errorOf(await ada.send(answerOf(start, "code"))), null);
    assert.deepEqual(userRow(place), {
      email: "ada@example.com",
      name: "Ada",
      image: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea.png",
      id: user.id,
      type: "oauth",
      isVerified: verified === true,
    });
    place.close();
  }
});

/** A provider that signs ID tokens with a key of its own, and takes its client's secret in the form. */
function signingProvider(
  issuer: string,
  claims: Record<string, unknown>,
): Promise<SigningProvider> {
  const metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
  return createSigningProvider(issuer, { claims, metadata });
}

// Tracks: R101, BA #10003
Deno.test("searchPortalProvider() believes an address only when it is verified", async () => {
  for (const verified of [true, "true", false, "false", undefined, 1]) {
    const isVerified = verified === true;
    const { answers, expect } = await signingProvider("https://accounts.google.com", {
      sub: "1234567890",
      email: "ada@example.com",
      email_verified: verified,
      name: "Ada",
      picture: "https://pictures.example/ada",
      azp: "app",
    });
    const place = createPlace(searchPortalProvider(CREDENTIALS), answers);
    const ada = place.visitor();
    const start = await ada.start("google");
    expect(start);
    assert.equal(new URL(start).searchParams.get("scope"), "openid email profile");
    assert.equal(await errorOf(await ada.send(answerOf(start, "code"))), null);
    assert.deepEqual(userRow(place), {
      email: "ada@example.com",
      name: "Ada",
      image: "https://pictures.example/ada",
      id: "1234567890",
      type: "oidc",
      isVerified,
    });
    assert.equal(
      place.seen.find(({ url }) => url.endsWith("/token"))!.body.get("client_secret"),
      "secret",
    );
    place.close();
  }
});

// Tracks: R101
Deno.test("createOidcProvider() takes an address as proved for the boolean true and nothing else", async () => {
  for (const verified of [true, "true", "1", 1, "false", false, undefined]) {
    const { answers, expect } = await signingProvider("https://id.example", {
      sub: "1",
      email: "ada@example.com",
      email_verified: verified,
    });
    const place = createPlace(
      createOidcProvider({
        ...CREDENTIALS,
        clientAuth: "post",
        id: "own",
        name: "Own",
        issuer: "https://id.example",
        trustEmail: true,
      }),
      { ...answers, ["https://id.example/userinfo"]: () => ({ sub: "1" }) },
    );
    const ada = place.visitor();
    const start = await ada.start("own");
    expect(start);
    assert.equal(await errorOf(await ada.send(answerOf(start, "code"))), null);
    assert.equal((userRow(place) as { isVerified: boolean }).isVerified, verified === true);
    place.close();
  }
});

// Tracks: R090, R108
Deno.test("deviceMakerProvider() answers by form, with the name at the first sign-in only", async () => {
  const said = '{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"evil@example.com"}';
  const cases: [string, string | undefined, string | null][] = [
    ["first", said, "Ada Lovelace"],
    ["later", undefined, null],
    ["no JSON", "{", null],
    ["no name", '{"name":5}', null],
    ["a list", "[]", null],
    ["sub in it", '{"sub":"root","id":"root","name":{"firstName":"A"}}', "A"],
    ["very long", JSON.stringify({ name: { firstName: "x".repeat(9000) } }), "x".repeat(200)],
  ];
  for (const [what, user, name] of cases) {
    const { answers, expect } = await signingProvider("https://appleid.apple.com", {
      sub: "000123.abc.0456",
      email: "ada@privaterelay.example",
      email_verified: "true",
      is_private_email: "true",
    });
    const place = createPlace(
      deviceMakerProvider({ ...CREDENTIALS, scope: "name email" }),
      answers,
    );
    const ada = place.visitor();
    const start = await ada.start("apple");
    expect(start);
    const { searchParams } = new URL(start);
    assert.equal(searchParams.get("response_mode"), "form_post");
    assert.equal(searchParams.get("scope"), "name email");
    const form = { code: "code", state: searchParams.get("state")!, ...user && { user } };
    const url = `${ORIGIN}/auth/callback/apple`;
    assert.equal(await errorOf(await ada.deliver({ url, form })), null, what);
    assert.deepEqual(userRow(place), {
      email: "ada@privaterelay.example",
      name,
      image: null,
      id: "000123.abc.0456",
      type: "oidc",
      isVerified: true,
    }, what);
    place.close();
  }
  const place = createPlace(
    deviceMakerProvider(CREDENTIALS),
    (await signingProvider("https://appleid.apple.com", {})).answers,
  );
  assert.equal(new URL(await place.visitor().start("apple")).searchParams.has("scope"), false);
  place.close();
});

// Tracks: R101, R094
Deno.test("of what deviceMakerProvider() gets through the browser only a name counts, and none that is signed", async () => {
  const user = JSON.stringify({
    name: { firstName: "Browser" },
    sub: "root",
    email: "victim@example.com",
    email_verified: true,
  });
  for (const name of [undefined, "Signed"]) {
    const { answers, expect } = await signingProvider("https://appleid.apple.com", {
      sub: "1",
      name,
    });
    const place = createPlace(deviceMakerProvider(CREDENTIALS), answers);
    const mallory = place.visitor();
    const start = await mallory.start("apple");
    expect(start);
    const form = { code: "code", state: new URL(start).searchParams.get("state")!, user };
    await mallory.deliver({ url: `${ORIGIN}/auth/callback/apple`, form });
    const row = { name: name ?? "Browser", email: null, image: null, id: "1", type: "oidc" };
    assert.deepEqual(userRow(place), { ...row, isVerified: false });
    place.close();
  }
});

// Tracks: R107
Deno.test("createDeviceMakerSecret() makes a token that lives for a day, and a new one before it ends", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const clock = { at: Date.UTC(2026, 0, 1) };
  const pem = await exportPKCS8(privateKey);
  const options = { clientId: "app", teamId: "TEAM123456", keyId: "KEY1234567" };
  for (const text of [pem, pem.replaceAll("\n", "\\n"), pem.replaceAll("\n", "\r\n")]) {
    const secret = createDeviceMakerSecret({ ...options, privateKey: text, now: () => clock.at });
    const first = await secret();
    assert.deepEqual(decodeProtectedHeader(first), {
      alg: "ES256",
      kid: "KEY1234567",
      typ: "JWT",
    });
    const { payload } = await jwtVerify(first, publicKey, {
      issuer: "TEAM123456",
      subject: "app",
      audience: "https://appleid.apple.com",
      algorithms: ["ES256"],
      currentDate: new Date(clock.at),
    });
    assert.equal(payload.exp! - payload.iat!, 86_400);
    assert.equal(await secret(), first);
    clock.at += 13 * 3600_000;
    const second = await secret();
    assert.notEqual(second, first);
    await jwtVerify(second, publicKey, { currentDate: new Date(clock.at) });
  }
  const wrong: object[] = [
    { ...options, privateKey: "" },
    { ...options, privateKey: "canary!" },
    { ...options, privateKey: pem, keyId: undefined },
  ];
  for (const bad of wrong) {
    assert.throws(() => createDeviceMakerSecret(bad as never), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.message.includes("canary"), false);
      return true;
    });
  }
  const notElliptic = createDeviceMakerSecret({ ...options, privateKey: "AAAA" });
  await assert.rejects(notElliptic(), ConfigurationError);
});

Deno.test("createOAuth2Provider() with remoteKeys() verifies the ID token of a provider that describes itself nowhere", async () => {
  const issuer = "https://id.example/tenant/1";
  const { answers, expect } = await signingProvider(issuer, { sub: "7" });
  const provider = createOAuth2Provider({
    id: "declared",
    name: "Declared",
    ...CREDENTIALS,
    authorization: `${issuer}/auth`,
    token: `${issuer}/token`,
    userinfo: `${issuer}/me`,
    issuer,
    jwks: remoteKeys(`${issuer}/keys`),
    scope: "openid",
    profile: (claims) => ({ id: (claims as { sub: string }).sub }),
  });
  const place = createPlace(provider, { ...answers, [`${issuer}/me`]: () => ({ sub: "7" }) });
  const ada = place.visitor();
  const start = await ada.start("declared");
  assert.equal(await errorOf(await ada.send(answerOf(start, "code"))), "OAUTH_RESPONSE_INVALID");
  const again = await ada.start("declared");
  expect(again);
  assert.equal(await errorOf(await ada.send(answerOf(again, "code", { iss: issuer }))), null);
  assert.equal(userRow(place).type, "oidc");
  place.close();
});

// Tracks: R153, CVE-2022-31186, BA reserved params
Deno.test("the factories refuse what cannot work, and never say what a secret is", () => {
  const declared = {
    id: "x",
    name: "X",
    ...CREDENTIALS,
    authorization: "https://id.example/a",
    token: "https://id.example/t",
    userinfo: "https://id.example/u",
    profile: () => ({ id: "1" }),
  };
  const discovered = { id: "x", name: "X", ...CREDENTIALS, issuer: "https://id.example" };
  const wrong: [unknown, (config: never) => Provider][] = [
    ...[
      undefined,
      5,
      { ...declared, id: "X" },
      { ...declared, name: "" },
      { ...declared, clientId: undefined },
      { ...declared, clientSecret: "" },
      { ...declared, clientSecret: ["canary"] },
      { ...declared, authorization: "http://id.example/a" },
      { ...declared, token: "/token" },
      { ...declared, userinfo: undefined },
      { ...declared, issuer: "id.example" },
      { ...declared, jwks: "https://id.example/keys", issuer: "https://id.example" },
      { ...declared, jwks: remoteKeys("https://id.example/keys") },
      { ...declared, profile: undefined },
      { ...declared, clientAuth: "digest" },
      { ...declared, responseMode: "fragment" },
      { ...declared, trustEmail: "yes" },
      { ...declared, parameters: { state: "x" } },
      { ...declared, parameters: { redirect_uri: "x" } },
      { ...declared, parameters: { code_challenge_method: "plain" } },
      { ...declared, parameters: { a: 5 } },
      { ...declared, scope: 5 },
      { ...declared, clientsecret: "canary" },
    ].map((config) => [config, createOAuth2Provider] as const),
    ...[
      { ...discovered, issuer: "http://id.example" },
      { ...discovered, scope: "email" },
      { ...discovered, prompt: 5 },
      { ...discovered, profile: 5 },
      { ...discovered, authorization: "https://id.example/a" },
    ].map((config) => [config, createOidcProvider] as const),
    ...[
      null,
      { clientId: "a" },
      { ...CREDENTIALS, trustEmail: true },
      { ...CREDENTIALS, id: "a b" },
    ].flatMap((config) =>
      [codeHostProvider, chatPlatformProvider, searchPortalProvider, deviceMakerProvider]
        .map((factory) => [config, factory as (config: never) => Provider] as const)
    ),
  ] as [unknown, (config: never) => Provider][];
  for (const [config, factory] of wrong) {
    assert.throws(() => factory(config as never), (error) => {
      assert.ok(error instanceof ConfigurationError, JSON.stringify(config));
      assert.equal(error.message.includes("canary"), false, error.message);
      return true;
    }, JSON.stringify(config));
  }
  for (const url of ["http://id.example/keys", "keys", 5]) {
    assert.throws(() => remoteKeys(url as string), ConfigurationError);
  }
});

Deno.test("a parameter that the library sets is refused with what to write in its place, and without its value", () => {
  const config = { ...CREDENTIALS, id: "x", name: "X", issuer: "https://id.example" };
  for (const name of ["response_mode", "client_secret", "state"]) {
    const message = `found "${name}"; write its option, such as responseMode, or leave it out`;
    assert.throws(
      () => createOidcProvider({ ...config, parameters: { [name]: "canary" } }),
      (error) =>
        error instanceof ConfigurationError && error.message.includes(message) &&
        !error.message.includes("canary"),
      name,
    );
  }
});

Deno.test("the factories come from the convention's entry too, and take a function of the environment", () => {
  assert.equal(convention.codeHostProvider, codeHostProvider);
  assert.equal(convention.searchPortalProvider, searchPortalProvider);
  assert.equal(convention.chatPlatformProvider, chatPlatformProvider);
  assert.equal(convention.deviceMakerProvider, deviceMakerProvider);
  assert.equal(convention.createDeviceMakerSecret, createDeviceMakerSecret);
  const provider = codeHostProvider((env: { ID: string }) => ({
    clientId: env.ID,
    clientSecret: "x",
    id: "hub",
  }));
  const made = (provider.definition as unknown as (env: object) => { id: string; name: string })({
    ID: "a",
  });
  assert.deepEqual([made.id, made.name], ["hub", "GitHub"]);
});

Deno.test("the specification's names are aliases of the providers' own, from both entries", () => {
  const aliases = {
    codeHostProvider: "github",
    searchPortalProvider: "google",
    chatPlatformProvider: "discord",
    deviceMakerProvider: "apple",
    createDeviceMakerSecret: "createAppleSecret",
  } as const;
  for (const [alias, name] of Object.entries(aliases) as [keyof typeof aliases, "github"][]) {
    assert.equal(typeof main[name], "function", name);
    for (const entry of [main, convention]) {
      assert.equal(entry[name], main[name], name);
      assert.equal(entry[alias], entry[name], alias);
    }
  }
});

// Tracks: AU-13
Deno.test("providers take their keys from the environment, of the process or of the request; what is written wins", async () => {
  const names = ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"] as const;
  const [id, secret] = names;
  const clientOf = (provider: Provider, env: unknown = {}) => {
    const { definition } = provider as { definition: unknown };
    return typeof definition === "function" ? definition(env) : definition;
  };
  const target = async (provider: Provider, env: Record<string, string> = {}) => {
    const auth = createAuth({ database: createMemoryStorage(), providers: [provider] });
    const response = await auth.handle(
      new Request("http://localhost/auth/signin/github", {
        method: "POST",
        headers: { origin: "http://localhost" },
      }),
      env,
    );
    return new URL(response!.headers.get("location")!).searchParams.get("client_id");
  };
  try {
    // A worker: nothing in the process, both in the bindings.
    assert.equal(await target(github(), { [id]: "bound", [secret]: "s" }), "bound");
    assert.equal(await target(github({ scope: "read:user" }), { [id]: "b2", [secret]: "s" }), "b2");
    process.env[id] = "of-process";
    process.env[secret] = "s";
    assert.equal(await target(github()), "of-process");
    assert.equal(typeof github().definition, "object"); // made once, not for each environment
    assert.equal(await target(github({ clientId: "written" })), "written");
    assert.equal(await target(github({ clientId: "written", clientSecret: "t" })), "written");
  } finally {
    for (const name of names) delete process.env[name];
  }
  assert.throws(() => clientOf(github()), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /"github\(\)": .* set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET$/);
    return true;
  });
  assert.throws(() => github({ clientSecret: "s" }), /write clientId and clientSecret, or set/);
  for (const [name, make] of Object.entries({ google, discord, apple })) {
    assert.throws(() => clientOf(make()), new RegExp(`${name.toUpperCase()}_CLIENT_SECRET`));
  }
});

Deno.test("a provider with both keys does not look at the process, which workers load when somebody does", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  let looks = 0;
  Object.defineProperty(globalThis, "process", {
    configurable: true,
    get() {
      looks++;
      return process;
    },
  });
  try {
    github({ clientId: "written", clientSecret: "t" });
    assert.equal(looks, 0);
    github();
    assert.equal(looks, 1);
  } finally {
    Object.defineProperty(globalThis, "process", own);
  }
});
