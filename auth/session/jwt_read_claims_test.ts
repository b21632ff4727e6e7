import assert from "node:assert/strict";
import { jwtVerify } from "jose";
import { COOKIE, SECRET, TOKEN_KEY } from "../tests/token_application.ts";
import { derivePurposeKey } from "../lib/keys.ts";
import { createTextKey } from "../lib/hash.ts";
import { createTokenSigner, readSessionClaims } from "./jwt.ts";

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1000;
const CLAIMS = {
  sub: "ada",
  iat: SECONDS,
  exp: SECONDS + 60,
  jti: "session-1",
  aud: COOKIE,
  "auth_time": SECONDS - 0.5,
};
const signer = createTokenSigner([createTextKey(TOKEN_KEY)]);

type Changes = Record<string, unknown>;

function verdict(changes: Changes, now = NOW, absoluteMaxAge = Infinity): string {
  const opened = readSessionClaims({ ...CLAIMS, ...changes }, {
    audience: COOKIE,
    absoluteMaxAge,
    now,
  });
  return opened === null ? "invalid" : opened === "expired" ? "expired" : "valid";
}

async function verdictOfJose(changes: Changes, now = NOW): Promise<string> {
  const token = await signer.sign({ ...CLAIMS, ...changes });
  try {
    await jwtVerify(token, await derivePurposeKey(SECRET, "session-jwt"), {
      algorithms: ["HS256"],
      typ: "session+jwt",
      audience: COOKIE,
      requiredClaims: ["sub", "iat", "exp", "jti", "auth_time"],
      currentDate: new Date(now),
    });
    return "valid";
  } catch (error) {
    return (error as { code?: string }).code === "ERR_JWT_EXPIRED" ? "expired" : "invalid";
  }
}

Deno.test("readSessionClaims() reads the session", () => {
  assert.deepEqual(
    readSessionClaims(CLAIMS, { audience: COOKIE, absoluteMaxAge: Infinity, now: NOW }),
    {
      claims: CLAIMS,
      user: { id: "ada", email: null, name: null, image: null, emailVerified: null },
      startedAt: NOW - 500,
      expiresAt: NOW + 60_000,
      tenantId: undefined,
      moved: undefined,
      replaced: undefined,
    },
  );
});

// Tracks: R052, R051, hono a5bd9ebe. There `exp` as a text, as 0 and as infinity once slipped through.
Deno.test("readSessionClaims() is null when a claim on which the session rests is missing or of another type", () => {
  const wrong: unknown[] = [undefined, null, "", true, [], {}, NaN, Infinity, -Infinity, -1, "x"];
  for (const name of ["iat", "exp", "auth_time"]) {
    for (const value of [...wrong, String(SECONDS + 60), "1e9", 1e400, 1e300, [SECONDS + 60]]) {
      assert.equal(verdict({ [name]: value }), "invalid", `${name}: ${String(value)}`);
    }
  }
  for (const value of [...wrong, 2, "0", "1"]) {
    if (value === undefined) continue;
    assert.equal(verdict({ moved_host: value }), "invalid", `moved_host: ${String(value)}`);
  }
  for (const value of [null, "", 5, true, ["ada"], {}, "x".repeat(256)]) {
    assert.equal(verdict({ replaced_jti: value }), "invalid", `replaced_jti: ${String(value)}`);
  }
  assert.equal(verdict({ exp: SECONDS + 60.5 }), "invalid");
  assert.equal(verdict({ exp: 0 }), "expired");
  for (const name of ["sub", "jti"]) {
    for (const value of [undefined, null, "", 5, true, ["ada"], {}, "x".repeat(256)]) {
      assert.equal(verdict({ [name]: value }), "invalid", `${name}: ${String(value)}`);
    }
  }
});

// Tracks: R051, CVE-2025-62610
Deno.test("readSessionClaims() is null for a token that is for another cookie", () => {
  for (const aud of [undefined, null, "", "other.session-token", [COOKIE], [], { 0: COOKIE }]) {
    assert.equal(verdict({ aud }), "invalid");
  }
});

// Tracks: K10, R035, CVE-2024-35220
Deno.test("readSessionClaims() ends a session at its moment, not a millisecond later", () => {
  assert.equal(verdict({}, NOW + 59_999), "valid");
  assert.equal(verdict({}, NOW + 60_000), "expired");
  assert.equal(verdict({}, NOW + 60_001), "expired");
  assert.equal(verdict({}, NOW + 29_499, 30_000), "valid");
  assert.equal(verdict({}, NOW + 29_500, 30_000), "expired");
});

// Tracks: R052, F26
Deno.test("readSessionClaims() takes clocks that differ by a minute, and no more", () => {
  const day = 24 * 60 * 60;
  for (const ahead of [-day, -60, -1, 0, 1, 60]) {
    assert.equal(verdict({ iat: SECONDS + ahead }), "valid", `iat ${ahead}`);
    assert.equal(verdict({ nbf: SECONDS + ahead }), "valid", `nbf ${ahead}`);
  }
  for (const ahead of [61, day]) {
    assert.equal(verdict({ iat: SECONDS + ahead, exp: SECONDS + 2 * day }), "invalid");
    assert.equal(verdict({ nbf: SECONDS + ahead, exp: SECONDS + 2 * day }), "invalid");
  }
  for (const nbf of [null, "0", NaN, 1e400, {}]) assert.equal(verdict({ nbf }), "invalid");
});

// Tracks: F27
Deno.test("readSessionClaims() counts the same in 1970, in 2038, in a leap year and at a change of time", () => {
  const moments = [
    0,
    Date.UTC(1970, 0, 1, 0, 0, 1),
    Date.UTC(2038, 0, 19, 3, 14, 7),
    Date.UTC(2038, 0, 19, 3, 14, 8),
    Date.UTC(2028, 1, 29),
    Date.UTC(2026, 2, 29, 1),
    Date.UTC(2106, 1, 7, 6, 28, 16),
  ];
  for (const now of moments) {
    const seconds = now / 1000;
    const claims = { iat: seconds, exp: seconds + 60, "auth_time": seconds };
    assert.equal(verdict(claims, now), "valid");
    assert.equal(verdict(claims, now + 60_000), "expired");
  }
  assert.equal(verdict({}, NaN), "invalid");
});

Deno.test("readSessionClaims() is null when a claim about the user has another type", () => {
  const wrong: Changes[] = [
    { email: 5 },
    { name: {} },
    { image: [] },
    { role: true },
    { roles: "admin" },
    { roles: [1] },
    { emailVerified: "yesterday" },
    { emailVerified: 1.5 },
  ];
  for (const changes of wrong) {
    assert.equal(verdict(changes), "invalid", JSON.stringify(changes));
  }
});

// Tracks: R052, R051
Deno.test("readSessionClaims() never accepts what jose refuses, and is stricter only where it says so", async () => {
  const cases: Record<string, Changes[]> = {
    same: [
      {},
      { exp: SECONDS + 1 },
      { exp: SECONDS },
      { exp: SECONDS - 1 },
      { exp: 0 },
      { exp: "x" },
      { exp: null },
      { exp: undefined },
      { iat: undefined },
      { iat: "now" },
      { jti: undefined },
      { sub: undefined },
      { auth_time: undefined },
      { aud: undefined },
      { aud: "other" },
      { aud: ["other"] },
      { nbf: SECONDS },
      { nbf: SECONDS + 3600 },
      { nbf: "x" },
      { custom: "x", __proto__: 1 },
    ],
    stricter: [
      { exp: SECONDS + 60.5 },
      { exp: 1e300 },
      { iat: SECONDS + 3600 },
      { iat: -1 },
      { aud: [COOKIE] },
      { jti: 5 },
      { jti: "" },
      { sub: "" },
      { sub: {} },
      { auth_time: "x" },
      { roles: "admin" },
    ],
  };
  for (const changes of cases.same!) {
    const claims = JSON.parse(JSON.stringify({ ...CLAIMS, ...changes }));
    const opened = readSessionClaims(claims, {
      audience: COOKIE,
      absoluteMaxAge: Infinity,
      now: NOW,
    });
    const ours = opened === null ? "invalid" : opened === "expired" ? "expired" : "valid";
    assert.equal(ours, await verdictOfJose(changes), JSON.stringify(changes));
  }
  for (const changes of cases.stricter!) {
    assert.equal(verdict(changes), "invalid", JSON.stringify(changes));
    assert.equal(await verdictOfJose(changes), "valid", JSON.stringify(changes));
  }
});

// Tracks: R050, K5, CVE-2023-48309
Deno.test("a text that is signed with the secret itself or for another purpose is no session", async () => {
  const keys = [
    new TextEncoder().encode(SECRET),
    await derivePurposeKey(SECRET, "another-purpose" as "session-jwt"),
    await derivePurposeKey(`${SECRET}x`, "session-jwt"),
  ];
  for (const key of keys) {
    const token = await createTokenSigner([createTextKey(key)]).sign(CLAIMS);
    assert.equal(await signer.open(token, (claims) => claims), null);
  }
  assert.deepEqual(await signer.open(await signer.sign(CLAIMS), (claims) => claims), CLAIMS);
});
