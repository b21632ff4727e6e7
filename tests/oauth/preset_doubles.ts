import type { Provider } from "@framework/auth";
import * as presets from "@framework/auth/providers";
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Client id and secret of the application at every double; the secret needs the encoding of RFC 6749, 2.3.1. */
export const KEYS = { clientId: "app", clientSecret: "s:e+c%" };

/** Somebody at a provider. */
export interface Person {
  /** A letter or digit by which the provider's own id is made. */
  key: string;
  name: string;
  email: string;
}

/** Ada, at every double. */
export const ADA: Person = { key: "1", name: "Ada", email: "ada@example.com" };

/** A provider as its documents describe it. */
export interface Double {
  make(config?: { trustEmail?: boolean; id?: string }): Provider;
  /** Authorization endpoint. */
  authorization: string;
  token: string;
  userinfo?: string;
  /** Its discovery document. */
  discovery?: Record<string, unknown>;
  /** Parameters that it must be asked with, besides those of every sign-in. */
  asks?: Record<string, string | null>;
  /** Its way to take the secret. Default 'basic'. */
  auth?: "basic" | "post";
  /** It refuses the verifier of PKCE. Default false. */
  refusesVerifier?: boolean;
  /** It takes JSON at its token endpoint. Default false. */
  takesJson?: boolean;
  /** Endpoint that renews tokens. Default: its token endpoint. */
  refreshAt?: string;
  /** Fields of its answer with tokens. Default: `token_type` and `scope` as in RFC 6749. */
  tokens?: Record<string, unknown>;
  /** Claims of its ID token about somebody, where it makes one. */
  claims?(person: Person): Record<string, unknown>;
  /** Its userinfo about somebody, with every word for "verified" that it has. */
  says?(person: Person): unknown;
  /** Checks the request for userinfo. */
  checks?(request: Request): void;
  /** Further addresses. */
  more?: Record<string, (person: Person) => unknown>;
  /** The account's id. */
  idOf(person: Person): string;
  image: string | null;
  /** True when it tells an address. Default true. */
  tellsEmail?: boolean;
  /** True when it has a word for "verified", which the application may believe. */
  saysVerified: boolean;
}

const PICTURE = "https://pictures.example/ada";
const STANDARD = { scope: "openid email profile" };

function standardClaims({ key, name, email }: Person): Record<string, unknown> {
  return { sub: `sub-${key}`, name, email, email_verified: true, picture: PICTURE };
}

function described(
  issuer: string,
  paths: { authorize: string; token: string; userinfo: string; keys: string },
  more: Record<string, unknown> = {},
): Pick<Double, "authorization" | "token" | "userinfo" | "discovery"> {
  const [authorization, token, userinfo, jwks] = Object.values(paths) as [
    string,
    string,
    string,
    string,
  ];
  return {
    authorization,
    token,
    userinfo,
    discovery: {
      issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      userinfo_endpoint: userinfo,
      jwks_uri: jwks,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      ...more,
    },
  };
}

function openId(
  double: Omit<Double, "idOf" | "image" | "saysVerified"> & Partial<Double>,
): Double {
  return {
    claims: standardClaims,
    says: standardClaims,
    idOf: ({ key }) => `sub-${key}`,
    image: PICTURE,
    saysVerified: true,
    asks: STANDARD,
    ...double,
  };
}

const POOL = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf123";
const REALM = "https://id.acme.example/realms/staff";

/** Tenants of Microsoft. */
export const TENANT = "11111111-2222-3333-4444-555555555555";
export const OTHER_TENANT = "99999999-2222-3333-4444-555555555555";
export const PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** The providers, as their documents describe them. */
export const DOUBLES: Record<string, Double> = {
  gitlab: openId({
    make: (config) => presets.gitlab({ ...KEYS, ...config }),
    ...described("https://gitlab.com", {
      authorize: "https://gitlab.com/oauth/authorize",
      token: "https://gitlab.com/oauth/token",
      userinfo: "https://gitlab.com/oauth/userinfo",
      keys: "https://gitlab.com/oauth/discovery/keys",
    }),
  }),
  slack: openId({
    make: (config) => presets.slack({ ...KEYS, ...config }),
    ...described("https://slack.com", {
      authorize: "https://slack.com/openid/connect/authorize",
      token: "https://slack.com/api/openid.connect.token",
      userinfo: "https://slack.com/api/openid.connect.userInfo",
      keys: "https://slack.com/openid/connect/keys",
    }),
    tokens: { ok: true, token_type: "Bearer" },
    claims: (person) => ({ sub: `U${person.key}`, "https://slack.com/team_id": "T1" }),
    says: (person) => ({
      ok: true,
      ...standardClaims(person),
      sub: `U${person.key}`,
      "https://slack.com/user_id": `U${person.key}`,
      "https://slack.com/team_id": "T1",
    }),
    idOf: ({ key }) => `T1:U${key}`,
  }),
  auth0: openId({
    make: (config) => presets.auth0({ domain: "acme.eu.auth0.com", ...KEYS, ...config }),
    ...described("https://acme.eu.auth0.com/", {
      authorize: "https://acme.eu.auth0.com/authorize",
      token: "https://acme.eu.auth0.com/oauth/token",
      userinfo: "https://acme.eu.auth0.com/userinfo",
      keys: "https://acme.eu.auth0.com/.well-known/jwks.json",
    }, { id_token_signing_alg_values_supported: ["HS256", "RS256", "PS256"] }),
  }),
  okta: openId({
    make: (config) => presets.okta({ domain: "acme.okta.com", ...KEYS, ...config }),
    ...described("https://acme.okta.com/oauth2/default", {
      authorize: "https://acme.okta.com/oauth2/default/v1/authorize",
      token: "https://acme.okta.com/oauth2/default/v1/token",
      userinfo: "https://acme.okta.com/oauth2/default/v1/userinfo",
      keys: "https://acme.okta.com/oauth2/default/v1/keys",
    }),
    // A thin ID token: the rest is in userinfo.
    claims: ({ key }) => ({ sub: `sub-${key}` }),
  }),
  keycloak: openId({
    make: (config) =>
      presets.keycloak({ url: "https://id.acme.example/", realm: "staff", ...KEYS, ...config }),
    ...described(REALM, {
      authorize: `${REALM}/protocol/openid-connect/auth`,
      token: `${REALM}/protocol/openid-connect/token`,
      userinfo: `${REALM}/protocol/openid-connect/userinfo`,
      keys: `${REALM}/protocol/openid-connect/certs`,
    }, { authorization_response_iss_parameter_supported: true }),
  }),
  zitadel: openId({
    make: (config) => presets.zitadel({ domain: "acme.zitadel.cloud", ...KEYS, ...config }),
    ...described("https://acme.zitadel.cloud", {
      authorize: "https://acme.zitadel.cloud/oauth/v2/authorize",
      token: "https://acme.zitadel.cloud/oauth/v2/token",
      userinfo: "https://acme.zitadel.cloud/oidc/v1/userinfo",
      keys: "https://acme.zitadel.cloud/oauth/v2/keys",
    }),
    claims: ({ key }) => ({ sub: `sub-${key}` }),
  }),
  cognito: openId({
    make: (config) => presets.cognito({ userPoolId: "eu-central-1_AbCdEf123", ...KEYS, ...config }),
    ...described(POOL, {
      authorize: "https://acme.auth.eu-central-1.amazoncognito.com/oauth2/authorize",
      token: "https://acme.auth.eu-central-1.amazoncognito.com/oauth2/token",
      userinfo: "https://acme.auth.eu-central-1.amazoncognito.com/oauth2/userInfo",
      keys: `${POOL}/.well-known/jwks.json`,
    }),
    says: (person) => ({ ...standardClaims(person), email_verified: "true" }),
  }),
  salesforce: openId({
    make: (config) => presets.salesforce({ ...KEYS, ...config }),
    ...described("https://login.salesforce.com", {
      authorize: "https://login.salesforce.com/services/oauth2/authorize",
      token: "https://login.salesforce.com/services/oauth2/token",
      userinfo: "https://login.salesforce.com/services/oauth2/userinfo",
      keys: "https://login.salesforce.com/id/keys",
    }),
    claims: ({ key }) => ({ sub: `https://login.salesforce.com/id/00D/005${key}` }),
    says: (person) => ({
      ...standardClaims(person),
      sub: `https://login.salesforce.com/id/00D/005${person.key}`,
    }),
    idOf: ({ key }) => `https://login.salesforce.com/id/00D/005${key}`,
  }),
  twitch: openId({
    make: (config) => presets.twitch({ ...KEYS, ...config }),
    ...described("https://id.twitch.tv/oauth2", {
      authorize: "https://id.twitch.tv/oauth2/authorize",
      token: "https://id.twitch.tv/oauth2/token",
      userinfo: "https://id.twitch.tv/oauth2/userinfo",
      keys: "https://id.twitch.tv/oauth2/keys",
    }, { token_endpoint_auth_methods_supported: ["client_secret_post"] }),
    auth: "post",
    asks: {
      scope: "openid user:read:email",
      claims:
        '{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}',
    },
    tokens: { token_type: "bearer", scope: ["openid", "user:read:email"] },
    claims({ key, name, email }) {
      return {
        sub: `77${key}`,
        preferred_username: name,
        email,
        email_verified: true,
        picture: PICTURE,
      };
    },
    idOf: ({ key }) => `77${key}`,
  }),
  microsoft: openId({
    make: (config) => presets.microsoft({ ...KEYS, ...config }),
    authorization: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    auth: "post",
    claims: ({ key, name, email }) => ({
      iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
      tid: TENANT,
      oid: `oid-${key}`,
      sub: `sub-${key}`,
      name,
      email,
      preferred_username: email,
      ver: "2.0",
    }),
    idOf: ({ key }) => `${TENANT}:sub-${key}`,
    image: null,
    saysVerified: false,
  }),
  linkedin: {
    make: (config) => presets.linkedin({ ...KEYS, ...config }),
    authorization: "https://www.linkedin.com/oauth/v2/authorization",
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    userinfo: "https://api.linkedin.com/v2/userinfo",
    auth: "post",
    asks: { scope: "openid profile email", nonce: null },
    refusesVerifier: true,
    // Without a type, and with an ID token that has no nonce.
    tokens: { token_type: undefined, id_token: "a.b.c" },
    says: standardClaims,
    idOf: ({ key }) => `sub-${key}`,
    image: PICTURE,
    saysVerified: true,
  },
  facebook: {
    make: (config) => presets.facebook({ ...KEYS, ...config }),
    authorization: "https://www.facebook.com/dialog/oauth",
    token: "https://graph.facebook.com/oauth/access_token",
    userinfo: "https://graph.facebook.com/me",
    auth: "post",
    asks: { scope: "public_profile email" },
    says: ({ key, name, email }) => ({
      id: `44${key}`,
      name,
      email,
      picture: { data: { url: PICTURE, is_silhouette: false } },
    }),
    checks({ url, headers }) {
      const { searchParams } = new URL(url);
      const token = headers.get("authorization")!.replace("Bearer ", "");
      const proof = createHmac("sha256", KEYS.clientSecret).update(token).digest("hex");
      assert.equal(searchParams.get("appsecret_proof"), proof);
      assert.equal(searchParams.get("fields"), "id,name,email,picture");
    },
    idOf: ({ key }) => `44${key}`,
    image: PICTURE,
    saysVerified: false,
  },
  x: {
    make: (config) => presets.x({ ...KEYS, ...config }),
    authorization: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    userinfo: "https://api.x.com/2/users/me",
    asks: { scope: "users.read tweet.read" },
    says: ({ key, name }) => ({
      data: { id: `55${key}`, name, username: "ada", profile_image_url: PICTURE },
    }),
    checks: ({ url }) => assert.match(url, /\?user\.fields=profile_image_url$/),
    idOf: ({ key }) => `55${key}`,
    image: PICTURE,
    tellsEmail: false,
    saysVerified: false,
  },
  spotify: {
    make: (config) => presets.spotify({ ...KEYS, ...config }),
    authorization: "https://accounts.spotify.com/authorize",
    token: "https://accounts.spotify.com/api/token",
    userinfo: "https://api.spotify.com/v1/me",
    asks: { scope: "user-read-email" },
    says: ({ key, name, email }) => ({
      id: `user${key}`,
      display_name: name,
      email,
      images: [{ url: PICTURE, height: 300, width: 300 }],
      type: "user",
    }),
    idOf: ({ key }) => `user${key}`,
    image: PICTURE,
    saysVerified: false,
  },
  paypal: {
    make: (config) => presets.paypal({ ...KEYS, ...config }),
    authorization: "https://www.paypal.com/signin/authorize",
    token: "https://api-m.paypal.com/v1/oauth2/token",
    userinfo: "https://api-m.paypal.com/v1/identity/oauth2/userinfo",
    asks: { scope: "openid profile email" },
    says: ({ key, name, email }) => ({
      user_id: `https://www.paypal.com/webapps/auth/identity/user/${key}`,
      payer_id: `P${key}`,
      name,
      verified_account: "true",
      emails: [{ value: email, primary: true, confirmed: true }],
    }),
    checks: ({ url }) => assert.match(url, /\?schema=paypalv1\.1$/),
    idOf: ({ key }) => `https://www.paypal.com/webapps/auth/identity/user/${key}`,
    image: null,
    saysVerified: true,
  },
  bitbucket: {
    make: (config) => presets.bitbucket({ ...KEYS, ...config }),
    authorization: "https://bitbucket.org/site/oauth2/authorize",
    token: "https://bitbucket.org/site/oauth2/access_token",
    userinfo: "https://api.bitbucket.org/2.0/user",
    asks: { scope: "account email" },
    tokens: { token_type: "bearer", scopes: "account email" },
    says: ({ key, name }) => ({
      type: "user",
      uuid: `{uuid-${key}}`,
      account_id: `557058:${key}`,
      nickname: "ada",
      display_name: name,
      links: { avatar: { href: PICTURE } },
    }),
    more: {
      "https://api.bitbucket.org/2.0/user/emails": ({ email }) => ({
        values: [
          { email: "old@example.com", is_primary: false, is_confirmed: true },
          { email, is_primary: true, is_confirmed: true },
        ],
      }),
    },
    idOf: ({ key }) => `{uuid-${key}}`,
    image: PICTURE,
    saysVerified: true,
  },
  notion: {
    make: (config) => presets.notion({ ...KEYS, ...config }),
    authorization: "https://api.notion.com/v1/oauth/authorize",
    token: "https://api.notion.com/v1/oauth/token",
    userinfo: "https://api.notion.com/v1/users/me",
    asks: { owner: "user", scope: null },
    takesJson: true,
    refusesVerifier: true,
    tokens: { token_type: "bearer", bot_id: "bot", workspace_id: "workspace" },
    says: ({ key, name, email }) => ({
      object: "user",
      id: "bot",
      type: "bot",
      bot: {
        owner: {
          type: "user",
          user: { id: `person-${key}`, name, avatar_url: PICTURE, person: { email } },
        },
      },
    }),
    checks: ({ headers }) => assert.match(headers.get("notion-version") ?? "", /^\d{4}-\d\d-\d\d$/),
    idOf: ({ key }) => `person-${key}`,
    image: PICTURE,
    saysVerified: false,
  },
  figma: {
    make: (config) => presets.figma({ ...KEYS, ...config }),
    authorization: "https://www.figma.com/oauth",
    token: "https://api.figma.com/v1/oauth/token",
    refreshAt: "https://api.figma.com/v1/oauth/refresh",
    userinfo: "https://api.figma.com/v1/me",
    asks: { scope: "current_user:read" },
    tokens: { token_type: undefined, user_id_string: "661" },
    says: ({ key, name, email }) => ({ id: `66${key}`, handle: name, email, img_url: PICTURE }),
    idOf: ({ key }) => `66${key}`,
    image: PICTURE,
    saysVerified: false,
  },
  atlassian: {
    make: (config) => presets.atlassian({ ...KEYS, ...config }),
    authorization: "https://auth.atlassian.com/authorize",
    token: "https://auth.atlassian.com/oauth/token",
    userinfo: "https://api.atlassian.com/me",
    auth: "post",
    asks: { scope: "read:me", audience: "api.atlassian.com", prompt: "consent" },
    takesJson: true,
    says: ({ key, name, email }) => ({
      account_type: "atlassian",
      account_id: `557058:${key}`,
      name,
      email,
      picture: PICTURE,
      account_status: "active",
    }),
    idOf: ({ key }) => `557058:${key}`,
    image: PICTURE,
    saysVerified: false,
  },
  zoom: {
    make: (config) => presets.zoom({ ...KEYS, ...config }),
    authorization: "https://zoom.us/oauth/authorize",
    token: "https://zoom.us/oauth/token",
    userinfo: "https://api.zoom.us/v2/users/me",
    asks: { scope: null },
    says: ({ key, name, email }) => ({
      id: `zoom-${key}`,
      display_name: name,
      email,
      pic_url: PICTURE,
      verified: 1,
    }),
    idOf: ({ key }) => `zoom-${key}`,
    image: PICTURE,
    saysVerified: true,
  },
};

/** One key pair for all: what differs is who signs, by the issuer. */
const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
const JWK = { ...await exportJWK(publicKey), kid: "k", alg: "RS256" };

/** A double at work. */
export interface Server {
  fetch: typeof fetch;
  /** Addresses that were called, without their queries. */
  calls: string[];
  /** The next person to sign in. */
  person: Person;
  /** Further claims of the ID token, or others in their place; undefined takes one away. */
  claims: Record<string, unknown>;
  /** Members of the key that signs. */
  key: Record<string, unknown>;
  /** Learns what the application asked for. */
  expect(start: string): void;
}

/** Checks how the application proves itself, and returns the fields that it sent. */
async function readTokenRequest(request: Request, double: Double): Promise<Map<string, unknown>> {
  const isJson = request.headers.get("content-type")?.startsWith("application/json") ?? false;
  assert.equal(isJson, double.takesJson ?? false);
  const text = await request.text();
  const fields = new Map<string, unknown>(
    isJson ? Object.entries(JSON.parse(text)) : new URLSearchParams(text),
  );
  const authorization = request.headers.get("authorization");
  if (double.auth === "post") {
    assert.equal(authorization, null);
    assert.equal(fields.get("client_id"), KEYS.clientId);
    assert.equal(fields.get("client_secret"), KEYS.clientSecret);
  } else {
    assert.equal(authorization, `Basic ${btoa("app:s%3Ae%2Bc%25")}`);
    assert.equal(fields.has("client_secret"), false);
  }
  return fields;
}

/** Serves a double. */
export function serveDouble(double: Double, issuer?: string): Server {
  let asked = new URLSearchParams();
  const signer = issuer ?? double.discovery?.issuer as string | undefined;

  async function tokens(request: Request): Promise<unknown> {
    const fields = await readTokenRequest(request, double);
    if (fields.get("grant_type") === "refresh_token") {
      assert.equal(request.url, double.refreshAt ?? double.token);
      assert.equal(fields.get("refresh_token"), "the-refresh");
      return { access_token: "the-next", token_type: "Bearer", ...double.tokens };
    }
    assert.equal(request.url, double.token);
    assert.equal(fields.get("grant_type"), "authorization_code");
    assert.equal(fields.get("code"), "the-code");
    assert.equal(fields.get("redirect_uri"), asked.get("redirect_uri"));
    const verifier = fields.get("code_verifier");
    if (double.refusesVerifier) assert.equal(verifier, undefined);
    else {
      const challenge = createHash("sha256").update(String(verifier)).digest("base64url");
      assert.equal(challenge, asked.get("code_challenge"));
    }
    const { claims } = double;
    const signed = claims && {
      ...signer !== undefined && { iss: signer },
      aud: KEYS.clientId,
      nonce: asked.get("nonce"),
      ...claims(server.person),
      ...server.claims,
    };
    return {
      access_token: "the-token",
      refresh_token: "the-refresh",
      token_type: "Bearer",
      expires_in: 3600,
      ...double.tokens,
      ...signed && {
        id_token: await new SignJWT(JSON.parse(JSON.stringify(signed)))
          .setProtectedHeader({ alg: "RS256", kid: "k" })
          .setIssuedAt().setExpirationTime("5m").sign(privateKey),
      },
    };
  }

  async function answer(url: string, request: Request): Promise<unknown> {
    const { discovery, more } = double;
    if (request.method === "POST") return await tokens(request);
    if (/\/\.well-known\/openid-configuration$/.test(url)) {
      const at = String(discovery?.issuer).replace(/\/$/, "");
      assert.equal(url, `${at}/.well-known/openid-configuration`);
      return discovery;
    }
    if (url === discovery?.jwks_uri || /\/discovery\/v2\.0\/keys$/.test(url)) {
      return { keys: [{ ...JWK, ...server.key }] };
    }
    assert.equal(request.headers.get("authorization"), "Bearer the-token");
    if (more?.[url] !== undefined) return more[url](server.person);
    assert.equal(url, double.userinfo);
    double.checks?.(request);
    return double.says!(server.person);
  }

  const server: Server = {
    calls: [],
    person: ADA,
    claims: {},
    key: {},
    expect: (start) => asked = new URL(start).searchParams,
    async fetch(input, init) {
      const request = new Request(input, init);
      const { origin, pathname } = new URL(request.url);
      server.calls.push(origin + pathname);
      return Response.json(await answer(origin + pathname, request));
    },
  };
  return server;
}
