import assert from "node:assert/strict";
import { OAuthError } from "../../errors.ts";
import { createDiscovery } from "./discovery.ts";

async function discover(issuer: string, endpoint: string): Promise<string | null> {
  const description = {
    issuer,
    "authorization_endpoint": `${issuer}/authorize`,
    "token_endpoint": endpoint,
    "jwks_uri": `${issuer}/keys`,
  };
  const caller = {
    fetch: (url: string | URL | Request) =>
      Promise.resolve(Response.json(String(url).endsWith("/keys") ? { keys: [] } : description)),
    now: () => 0,
  };
  try {
    return (await createDiscovery(issuer).get(caller)).server.token;
  } catch (error) {
    assert.ok(error instanceof OAuthError && error.code === "OAUTH_RESPONSE_INVALID");
    return null;
  }
}

// Tracks: R092, R095, F25, GHSA-5rr4-8452-hf4v, CVE-2026-53513
Deno.test("createDiscovery() lets a description on the network lead to nothing without https", async () => {
  const remote = "https://id.example";
  const local = "http://localhost:9000";
  const cases: [issuer: string, endpoint: string, isTaken: boolean][] = [
    [remote, "https://id.example/token", true],
    [remote, "https://tokens.example/token", true],
    [remote, "http://id.example/token", false],
    [remote, "http://localhost:9000/token", false],
    [remote, "http://127.0.0.1/token", false],
    [remote, "http://[::1]/token", false],
    [remote, "http://169.254.169.254/token", false],
    [remote, "https://user:password@id.example/token", false],
    [remote, "//id.example/token", false],
    [remote, "javascript:alert(1)", false],
    [local, "http://localhost:9001/token", true],
    [local, "http://169.254.169.254/token", false],
  ];
  for (const [issuer, endpoint, isTaken] of cases) {
    assert.equal(await discover(issuer, endpoint), isTaken ? endpoint : null, endpoint);
  }
});
