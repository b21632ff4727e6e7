// deno-lint-ignore-file camelcase -- the names of OAuth 2.0

import assert from "node:assert/strict";
import { OAuthError } from "../../errors.ts";
import type { OAuthClient, OAuthServer } from "./client.ts";
import { authByBasic } from "./client_auth.ts";
import { createPushRequest } from "./authorization.ts";

const SERVER: OAuthServer = {
  issuer: "https://id.example",
  authorization: "https://id.example/authorize",
  token: "https://id.example/token",
  userinfo: null,
};
const CLIENT = { clientId: "app", authenticate: authByBasic(() => "secret") } as OAuthClient;
const PUSHED = { request_uri: "urn:ietf:params:oauth:request_uri:a", expires_in: 60 };

async function push(answer: Response): Promise<[Record<string, string>, Request]> {
  let seen: Request | undefined;
  const caller = {
    now: () => 0,
    fetch(input: string | URL | Request, init?: RequestInit) {
      seen = new Request(input, init);
      return Promise.resolve(answer);
    },
  };
  const send = createPushRequest("https://id.example/par");
  const carried = await send({ state: "state", scope: "openid" }, {
    client: CLIENT,
    server: SERVER,
    caller,
  });
  return [carried, seen!];
}

// Tracks: R084
Deno.test("a pushed request is authenticated, and the visitor brings only its name (RFC 9126)", async () => {
  const [carried, request] = await push(Response.json(PUSHED, { status: 201 }));
  assert.deepEqual(carried, { client_id: "app", request_uri: PUSHED.request_uri });
  assert.equal(request.url, "https://id.example/par");
  assert.equal(request.headers.get("authorization"), `Basic ${btoa("app:secret")}`);
  assert.equal(await request.text(), "state=state&scope=openid");
});

// Tracks: R095, R105
Deno.test("a provider that does not take a pushed request ends the sign-in, and its words go nowhere", async () => {
  const cases: [string, Response, string][] = [
    ["refused", Response.json({ error: "invalid_request" }, { status: 400 }), "invalid_request"],
    ["another status", Response.json(PUSHED), "unknown"],
    ["no name", Response.json({ expires_in: 60 }, { status: 201 }), "unknown"],
    ["a name that is none", Response.json({ request_uri: 5 }, { status: 201 }), "unknown"],
    ["words", Response.json({ error: "<b>canary" }, { status: 400 }), "unknown"],
    ["no JSON", new Response("canary", { status: 201 }), "not JSON"],
    ["elsewhere", new Response(null, { status: 307, headers: { location: "/canary" } }), "307"],
  ];
  for (const [what, answer, told] of cases) {
    await assert.rejects(push(answer), (error) => {
      assert.ok(error instanceof OAuthError, what);
      assert.equal(error.code, "OAUTH_RESPONSE_INVALID", what);
      assert.ok(error.message.includes(told), `${what}: ${error.message}`);
      assert.equal(error.message.includes("canary"), false, what);
      return true;
    }, what);
  }
});
