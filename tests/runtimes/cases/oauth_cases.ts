import {
  codeHostProvider,
  createDeviceMakerSecret,
  createOidcProvider,
  getAccessToken,
  jwtSessions,
} from "@framework/auth";
import assert from "node:assert/strict";
import { type Application, cookieOf, createApplication, ORIGIN } from "../application.ts";
import { createSigningProvider, type SigningProvider } from "../../support/signing_provider.ts";
import type { Case, World } from "../behaviour.ts";

const ISSUER = "https://id.example";
const SECRET = "a secret of at least thirty-two bytes";
/** A place with a provider, whose next answers can be changed, and the paths that were called. */
type Place = Application & { provider: SigningProvider; calls: string[] };

async function createPlace(world: World): Promise<Place> {
  const now = Date.UTC(2026, 0, 1);
  const provider = await createSigningProvider(ISSUER, { claims: { sub: "7" }, now });
  provider.answers[`${ISSUER}/userinfo`] = () => ({ sub: "7", name: "Ada" });
  const calls: string[] = [];
  const application = await createApplication(world, {
    secret: SECRET,
    async fetch(input, init) {
      const request = new Request(input as string, init as RequestInit);
      const { url, method, headers } = request;
      const path = new URL(url).pathname;
      calls.push(path);
      const body = new URLSearchParams(await request.text());
      if (path === "/token") {
        assert.equal(headers.get("authorization"), `Basic ${btoa("app:a+secret")}`);
      }
      return Response.json(await provider.answers[url]!({ url, method, headers, body }));
    },
    providers: [
      createOidcProvider({
        id: "local",
        name: "Local",
        issuer: ISSUER,
        clientId: "app",
        clientSecret: "a secret",
      }),
    ],
  });
  return { ...application, provider, calls };
}

/** Signs in and returns the answer to the callback. */
async function signIn(application: Place): Promise<Response> {
  const started = await application.send("/auth/signin/local", { fields: {} });
  assert.equal(started.status, 303);
  const location = started.headers.get("location")!;
  const { searchParams } = new URL(location);
  application.provider.expect(location);
  const answer = new URLSearchParams({ code: "c", state: searchParams.get("state")! });
  const path = `/auth/callback/local?${answer}`;
  return await application.send(path, { cookie: cookieOf(started) });
}

/** Cases about sign-in at a provider. */
export const OAUTH_CASES: Record<string, Case> = {
  // Tracks: R084, R091
  "OpenID Connect signs in, with the provider's keys": async (world) => {
    const application = await createPlace(world);
    const response = await signIn(application);
    assert.equal(response.headers.get("location"), `${ORIGIN}/`);
    const cookie = cookieOf(response).split("; ").filter((pair) => !pair.endsWith("=")).join("; ");
    const session = await (await application.send("/auth/session", { cookie })).json();
    assert.equal(session.user.name, "Ada");
    return [response.status, application.calls];
  },
  // Tracks: R091
  "OpenID Connect refuses an ID token of which anything is wrong": async (world) => {
    const application = await createPlace(world);
    const wrong: Record<string, unknown>[] = [
      { iss: "https://evil.example" },
      { aud: "other" },
      { nonce: "x" },
      { exp: 1 },
      { at_hash: "x" },
      { sub: undefined },
    ];
    const seen = [];
    for (const claims of wrong) {
      application.provider.claims = { sub: "7", ...claims };
      const response = await signIn(application);
      seen.push(new URL(response.headers.get("location")!).searchParams.get("error"));
    }
    assert.deepEqual(new Set(seen), new Set(["OAUTH_RESPONSE_INVALID"]));
    return seen;
  },
  // Tracks: R104, R106
  "getAccessToken() opens the sealed token, and refreshes it once for all who ask": async (
    world,
  ) => {
    const application = await createPlace(world);
    const cookie = cookieOf(await signIn(application));
    async function tokens(): Promise<string[]> {
      const given: string[] = [];
      await application.visit(async () => {
        const five = Array.from({ length: 5 }, () => getAccessToken("local"));
        given.push(...await Promise.all(five));
        return new Response();
      }, { cookie });
      return given;
    }
    const first = await tokens();
    application.clock.now += 3600_000;
    const second = await tokens();
    assert.deepEqual(new Set([...first, ...second]), new Set(["first", "second"]));
    const asked = application.calls.filter((path) => path === "/token").length;
    assert.equal(asked, 2);
    return [first, second];
  },
  // Tracks: R085, R086
  "a sign-in without a database is a sealed cookie": async (world) => {
    const told: (string | null)[] = [];
    const application = await createApplication({
      ...world,
      createDatabase: () => Promise.resolve(undefined as never),
    }, {
      secret: SECRET,
      session: { strategy: jwtSessions },
      providers: [codeHostProvider({ clientId: "app", clientSecret: "secret" })],
      fetch: (input) =>
        Promise.resolve(Response.json(
          String(input).includes("access_token")
            ? { access_token: "token", token_type: "bearer" }
            : { id: 1, login: "ada" },
        )),
    });
    const started = await application.send("/auth/signin/github", { fields: {} });
    const state = new URL(started.headers.get("location")!).searchParams.get("state")!;
    const path = `/auth/callback/github?${new URLSearchParams({ code: "c", state })}`;
    for (const cookie of ["", cookieOf(started).slice(0, -2), cookieOf(started)]) {
      const response = await application.send(path, { cookie });
      told.push(new URL(response.headers.get("location")!).searchParams.get("error"));
    }
    assert.deepEqual(told, ["OAUTH_STATE_UNKNOWN", "OAUTH_STATE_FOREIGN", null]);
    return told;
  },
  // Tracks: R107
  "createDeviceMakerSecret() signs with a key in PKCS #8": async () => {
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const pair = await crypto.subtle.generateKey(algorithm, true, [
      "sign",
      "verify",
    ]) as CryptoKeyPair;
    const key = new Uint8Array(
      await crypto.subtle.exportKey("pkcs8", pair.privateKey) as ArrayBuffer,
    );
    const body = btoa(String.fromCharCode(...key));
    const secret = await createDeviceMakerSecret({
      clientId: "app",
      teamId: "team",
      keyId: "key",
      privateKey: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`,
      now: () => Date.UTC(2026, 0, 1),
    })();
    const [header, claims, signature] = secret.split(".") as [string, string, string];
    const binary = atob(signature.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const data = new TextEncoder().encode(`${header}.${claims}`);
    assert.equal(await crypto.subtle.verify(algorithm, pair.publicKey, bytes, data), true);
    return [header, claims];
  },
};
