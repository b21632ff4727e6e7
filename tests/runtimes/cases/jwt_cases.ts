import { type AuthOptions, createAuth, getUser, jwtSessions } from "@framework/auth";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import {
  type Application,
  createApplication,
  ORIGIN,
  passwordProvider,
  sessionLines,
} from "../application.ts";
import type { Case, World } from "../behaviour.ts";

const NAME = "framework.session-token";
const SECRET = "the first secret, of 32 bytes or more";
const OLD_SECRET = "an old secret, that has 32 bytes or more";
const SIGN_IN = { fields: { name: "ada", password: "right" } };

function jwtApplication(world: World, options: Partial<AuthOptions> = {}): Promise<Application> {
  return createApplication(world, {
    session: { strategy: jwtSessions },
    secret: [SECRET, OLD_SECRET],
    ...options,
  });
}

async function whoIs(
  application: Application,
  cookie: string,
  headers?: Record<string, string>,
): Promise<string | null> {
  const init = { cookie, ...(headers !== undefined && { headers }) };
  const response = await application.send("/auth/session", init);
  assert.equal(response.status, 200, cookie.slice(0, 80));
  return (await response.json())?.user.id ?? null;
}

function encode(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return Buffer.from(text).toString("base64url");
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}

/** The key of the tokens, by WebCrypto: HKDF of the secret. */
async function tokenKey(): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const salt = await crypto.subtle.digest("SHA-256", encoder.encode("@framework/auth"));
  const secret = await crypto.subtle.importKey("raw", encoder.encode(SECRET), "HKDF", false, [
    "deriveKey",
  ]);
  return await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt, info: encoder.encode("session-jwt") },
    secret,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["verify", "sign"],
  );
}

/** Cases about sessions in signed tokens. */
export const JWT_CASES: Record<string, Case> = {
  "jwt: a session needs no database, and says who signed in": async () => {
    const auth = createAuth<unknown>({
      baseUrl: ORIGIN,
      secret: SECRET,
      session: { strategy: jwtSessions },
      providers: [passwordProvider()],
    });
    const signedIn = await auth.handle(
      new Request(`${ORIGIN}/auth/signin/credentials`, {
        method: "POST",
        headers: { origin: ORIGIN, "content-type": "application/json" },
        body: JSON.stringify(SIGN_IN.fields),
      }),
      {},
    );
    const cookie = signedIn!.headers.getSetCookie()[0]!.split(";")[0]!;
    const request = new Request(ORIGIN, { headers: { cookie } });
    const page = await auth.run(request, {}, undefined, () => Response.json(getUser()));
    const user = await page.json();
    assert.equal(user.id, "ada");
    return user;
  },
  // Tracks: R051, R052
  "jwt: the token holds the claims that are documented, and its own header": async (world) => {
    const application = await jwtApplication(world);
    const [header, payload, signature] = (await application.signIn()).slice(NAME.length + 1)
      .split(".") as [string, string, string];
    const { jti, ...claims } = decode(payload);
    assert.match(String(jti), /^[\w-]{22}$/);
    assert.match(signature, /^[\w-]{43}$/);
    return [decode(header), claims];
  },
  // Tracks: R047, R050
  "jwt: WebCrypto verifies the tokens, and what it signs opens, whatever primitive computes them":
    async (
      world,
    ) => {
      const application = await jwtApplication(world);
      const key = await tokenKey();
      const token = (await application.signIn()).slice(NAME.length + 1);
      const [header, payload, signature] = token.split(".") as [string, string, string];
      const text = new TextEncoder().encode(`${header}.${payload}`);
      const given = Buffer.from(signature, "base64url");
      assert.ok(await crypto.subtle.verify("HMAC", key, given, text));
      for (let length = 0; length < 70; length++) {
        const claims = encode({ ...decode(payload), name: "\u00e9".repeat(length) });
        const longer = new TextEncoder().encode(`${header}.${claims}`);
        const signed = Buffer.from(await crypto.subtle.sign("HMAC", key, longer)).toString(
          "base64url",
        );
        assert.equal(await whoIs(application, `${NAME}=${header}.${claims}.${signed}`), "ada");
        assert.equal(await whoIs(application, `${NAME}=${header}.${claims}.${signature}`), null);
      }
    },
  // Tracks: R047, R048, R049, CVE-2015-9235, CVE-2022-23540, CVE-2026-22817, GHSA-f67f-6cw9-8mq4, CVE-2025-59420, CVE-2026-32597, CVE-2022-36083, CVE-2024-28176, CVE-2021-29443
  "jwt: no other header is a token": async (world) => {
    const application = await jwtApplication(world);
    const [header, payload, signature] = (await application.signIn()).slice(NAME.length + 1)
      .split(".") as [string, string, string];
    const own = decode(header);
    const headers: unknown[] = [
      { ...own, alg: "none" },
      { ...own, alg: "NONE" },
      { ...own, alg: "nOnE" },
      { ...own, alg: " HS256" },
      { ...own, alg: "hs256" },
      { ...own, alg: "HS512" },
      { ...own, alg: "RS256" },
      { ...own, typ: "JWT" },
      { ...own, crit: ["exp"] },
      { ...own, b64: false },
      { ...own, kid: "../../dev/null" },
      { ...own, jku: "https://evil.example/jwks" },
      { ...own, x5u: "https://evil.example/chain", x5c: ["AA"], jwk: { kty: "oct", k: "" } },
      { ...own, alg: "PBES2-HS256+A128KW", enc: "A128GCM", p2c: 1e9, p2s: "AA" },
      { ...own, alg: "dir", enc: "A256GCM", zip: "DEF" },
      { ...own, alg: "RSA1_5", enc: "A128CBC-HS256" },
      { typ: own.typ },
      { typ: own.typ, alg: own.alg },
      [],
      null,
      "",
    ];
    for (const changed of headers) {
      const encoded = encode(changed);
      if (encoded === header) continue;
      for (const end of [signature, "", "AA"]) {
        const cookie = `${NAME}=${encoded}.${payload}.${end}`;
        assert.equal(await whoIs(application, cookie), null, JSON.stringify(changed));
      }
    }
    for (
      const token of [`${header}.${payload}`, `${header}.${payload}.`, `.${payload}.`, "..", "."]
    ) {
      assert.equal(await whoIs(application, `${NAME}=${token}`), null);
    }
  },
  // Tracks: R050, R051, CVE-2023-48309, CVE-2025-62610, GHSA-869p-cjfg-cm3x, K5
  "jwt: what another purpose or the bare secret has signed is no session": async (world) => {
    const application = await jwtApplication(world);
    const [header, payload] = (await application.signIn()).slice(NAME.length + 1).split(".");
    const text = `${header}.${payload}`;
    for (const key of [SECRET, OLD_SECRET, "", "session", Buffer.alloc(32)]) {
      const signature = createHmac("sha256", key).update(text).digest("base64url");
      assert.equal(await whoIs(application, `${NAME}=${text}.${signature}`), null);
    }
    const otherName = await jwtApplication(world, {
      cookies: { sessionToken: { name: "other-token" } },
    });
    const foreign = (await otherName.signIn()).replace("other-token", NAME);
    assert.equal(await whoIs(application, foreign), null, "a token of another cookie's name");
  },
  // Tracks: F33, R054
  "jwt: a token with any one character changed, cut or added is none": async (world) => {
    const application = await jwtApplication(world);
    const cookie = await application.signIn();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let index = NAME.length + 1; index < cookie.length; index++) {
      const code = alphabet.indexOf(cookie[index]!);
      const other = code < 0 ? "A" : alphabet[code ^ 1]!;
      const changed = cookie.slice(0, index) + other + cookie.slice(index + 1);
      assert.equal(await whoIs(application, changed), null, `at ${index}`);
    }
    for (let cut = 1; cut < 10; cut++) {
      assert.equal(await whoIs(application, cookie.slice(0, -cut)), null);
    }
    for (const added of ["A", "=", "==", "%3D", ".", ".A", " A"]) {
      assert.equal(await whoIs(application, cookie + added), null, added);
    }
    assert.equal(await whoIs(application, cookie), "ada");
  },
  // Tracks: R055, F47
  "jwt: a new secret signs nobody out, and a removed one everybody": async (world) => {
    const database = await world.createDatabase();
    const same = { ...world, createDatabase: () => Promise.resolve(database) };
    const before = await jwtApplication(same, { secret: OLD_SECRET });
    const cookies: string[] = [];
    const users = Math.min(100, 10 * world.rounds);
    for (let index = 0; index < users; index++) cookies.push(await before.signIn(`user${index}`));
    const during = await jwtApplication(same);
    for (const [index, cookie] of cookies.entries()) {
      assert.equal(await whoIs(during, cookie), `user${index}`);
    }
    const after = await jwtApplication(same, { secret: SECRET });
    for (const cookie of cookies) assert.equal(await whoIs(after, cookie), null);
    assert.equal(await whoIs(after, await during.signIn()), "ada");
  },
  // Tracks: R057
  "jwt: a large token comes in chunks, of which none may be missing, changed or added": async (
    world,
  ) => {
    const application = await jwtApplication(world, {
      callbacks: { jwt: ({ token }) => ({ ...token, notes: "x".repeat(6000) }) },
    });
    const signedIn = await application.send("/auth/signin/credentials", SIGN_IN);
    const lines = sessionLines(signedIn).map((line) => line.split(";")[0]!);
    assert.deepEqual(lines.map((line) => line.split("=")[0]), [0, 1, 2].map((n) => `${NAME}.${n}`));
    for (const line of lines) assert.ok(line.length <= 4096);
    const [first, second, third] = lines as [string, string, string];
    const verdicts: [string, string | null][] = [];
    for (
      const cookies of [
        [first, second, third],
        [third, first, second],
        [first, second],
        [first, third],
        [second, third],
        [first, second, third, `${NAME}.3=x`],
        [first, second, third, `${NAME}.5=x`],
        [first, second, third, `${NAME}=x`],
        [first, second, third, second],
        [first, second, third, `${NAME}.1=x`],
        [first, second, third, `${NAME}.01=x`, `${NAME}-x=y`],
        [first.replace(".0=", ".1="), second.replace(".1=", ".0="), third],
      ]
    ) {
      const names = cookies.map((one) => one.split("=")[0]!.slice(NAME.length)).join(" ");
      verdicts.push([names, await whoIs(application, cookies.join("; "))]);
    }
    assert.equal(verdicts.filter(([, who]) => who === "ada").length, 4);
    return verdicts;
  },
  // Tracks: R058
  "jwt: the callback adds claims and cannot change those that a session rests on": async (
    world,
  ) => {
    const application = await jwtApplication(world, {
      session: { strategy: jwtSessions, maxAge: 100 },
      callbacks: {
        jwt: () => ({ sub: "root", iat: 0, exp: 9e9, jti: "mine", plan: "gold" }),
        session: ({ session, token }) => ({ ...session, plan: token?.plan }),
      },
    });
    let cookie: string;
    try {
      cookie = await application.signIn();
    } catch (error) {
      // To refuse such a callback is as good.
      return (error as Error).message;
    }
    const claims = decode(cookie.split(".").at(-2)!);
    assert.equal(claims.sub, "ada");
    assert.notEqual(claims.jti, "mine");
    assert.equal(Number(claims.exp) - Number(claims.iat), 100);
    return (await (await application.send("/auth/session", { cookie })).json()).plan;
  },
  // Tracks: R053, GHSA-xmf8-cvqr-rfgj, CVE-2026-73418
  "jwt: no Authorization header makes anything fail, and only a good Bearer token signs in": async (
    world,
  ) => {
    const application = await jwtApplication(world, {
      session: { strategy: jwtSessions, bearer: true },
    });
    const token = (await application.signIn()).slice(NAME.length + 1);
    const verdicts: [string, string | null][] = [];
    for (
      const authorization of [
        "Bearer TOKEN",
        "bearer TOKEN",
        "BEARER   TOKEN",
        "Bearer TOKEN, Bearer TOKEN",
        "Bearer TOKEN TOKEN",
        "BearerTOKEN",
        "Bearer",
        "Bearer %",
        "Bearer %E0%A4%A",
        "Bearer null",
        "Basic TOKEN",
        "TOKEN",
        "Bearer \u00ff\u00fe",
        `Bearer ${"A".repeat(100_000)}`,
        "Bearer __proto__",
      ]
    ) {
      const headers = { authorization: authorization.replaceAll("TOKEN", token) };
      verdicts.push([authorization.slice(0, 40), await whoIs(application, "a=b", headers)]);
    }
    assert.deepEqual(verdicts.filter(([, who]) => who !== null).map(([text]) => text), [
      "Bearer TOKEN",
      "bearer TOKEN",
      "BEARER   TOKEN",
    ]);
    const deaf = await jwtApplication(world);
    const headers = { authorization: `Bearer ${(await deaf.signIn()).slice(NAME.length + 1)}` };
    assert.equal(await whoIs(deaf, "a=b", headers), null, "bearer is off by default");
    return verdicts;
  },
  // Tracks: F26, K10
  "jwt: a token ends at its exp, to the second, and a clock that goes back makes it no longer":
    async (
      world,
    ) => {
      const application = await jwtApplication(world, {
        session: { strategy: jwtSessions, maxAge: 100, updateAge: 1000 },
      });
      const cookie = await application.signIn();
      const start = application.clock.now;
      const verdicts: (string | null)[] = [];
      for (const second of [-86_400, -61, -59, 0, 99, 99.999, 100, 101, 86_400]) {
        application.clock.now = start + second * 1000;
        verdicts.push(await whoIs(application, cookie));
      }
      assert.deepEqual(verdicts.slice(3), ["ada", "ada", "ada", null, null, null]);
      return verdicts;
    },
};
