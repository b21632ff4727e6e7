// deno-lint-ignore-file camelcase -- the names of OAuth 2.0

import assert from "node:assert/strict";
import { OAuthError } from "../../errors.ts";
import type { Reply } from "./request.ts";
import { readTokens } from "./tokens.ts";

const BODY = {
  access_token: "access",
  token_type: "Bearer",
  expires_in: 3600,
  refresh_token: "refresh",
  scope: "openid email",
  id_token: "id",
};

function reply(body: unknown, { status = 200, type = "application/json" } = {}): Reply {
  return { status, type, text: typeof body === "string" ? body : JSON.stringify(body) };
}

Deno.test("readTokens() reads what a token endpoint gives, and takes what it leaves out as not given", () => {
  assert.deepEqual(readTokens(reply(BODY), 1000), {
    accessToken: "access",
    refreshToken: "refresh",
    expiresAt: 3_601_000,
    scope: "openid email",
    idToken: "id",
  });
  const nothing = { refreshToken: null, expiresAt: null, scope: null, idToken: null };
  const empty = { refresh_token: "", scope: null, id_token: "", expires_in: null };
  for (const more of [{}, empty]) {
    const body = { access_token: "access", token_type: "bearer", ...more };
    assert.deepEqual(readTokens(reply(body), 0), { accessToken: "access", ...nothing });
  }
});

// Tracks: R091
Deno.test("readTokens() refuses an answer of which any part is not as RFC 6749 says", () => {
  const wrong: [string, Reply][] = [
    ["another status", reply(BODY, { status: 201 })],
    ["another type", reply(BODY, { type: "text/html" })],
    ["no JSON", reply("access_token=x&token_type=bearer")],
    ["a list", reply([BODY])],
    ["no type", reply({ ...BODY, token_type: undefined })],
    // A token that is bound to a key of ours, which there is none of (RFC 9449, 5).
    ["DPoP", reply({ ...BODY, token_type: "DPoP" })],
    ["a type that is none", reply({ ...BODY, token_type: ["bearer"] })],
    ["no access token", reply({ ...BODY, access_token: "" })],
    [
      "an access token that breaks out of its header",
      reply({ ...BODY, access_token: "a\r\nb: c" }),
    ],
    ["a refresh token that is none", reply({ ...BODY, refresh_token: { a: 1 } })],
    ["a scope that is a list", reply({ ...BODY, scope: ["openid"] })],
    ["an ID token that is decoded", reply({ ...BODY, id_token: { sub: "ada" } })],
    ["expires_in below zero", reply({ ...BODY, expires_in: -1 })],
    ["expires_in that is no number", reply({ ...BODY, expires_in: "soon" })],
    ["expires_in without end", reply(JSON.stringify(BODY).replace("3600", "1e999"))],
  ];
  for (const [what, answer] of wrong) {
    assert.throws(() => readTokens(answer, 0), (error) => {
      assert.ok(error instanceof OAuthError, what);
      assert.equal(error.code, "OAUTH_RESPONSE_INVALID", what);
      return true;
    }, what);
  }
});

// Tracks: R105
Deno.test("readTokens() gives the reason of an error in the words of the specification, and no other text", () => {
  const cases: [unknown, string][] = [
    ["invalid_grant", "invalid_grant"],
    ["<script>alert(1)</script>", "unknown"],
    ["x".repeat(65), "unknown"],
  ];
  for (const [said, reason] of cases) {
    for (const status of [200, 400, 401]) {
      const body = { ...BODY, error: said, error_description: "canary" };
      assert.throws(() => readTokens(reply(body, { status }), 0), (error) => {
        assert.ok(error instanceof OAuthError);
        assert.deepEqual([error.code, error.reason], ["OAUTH_PROVIDER_ERROR", reason]);
        assert.equal(error.message.includes("canary"), false);
        return true;
      });
    }
  }
});
