import assert from "node:assert/strict";
import { createSecurity, finishResponse } from "./response_headers.ts";

const rules = { header: null };

const html = { "content-type": "text/html; charset=utf-8" };

// Tracks: R080
Deno.test("finishResponse() gives HTML a policy without inline scripts, frames and foreign code", () => {
  const { headers } = finishResponse(
    new Response("", { headers: html }),
    createSecurity({ dev: false, rules }),
  );
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "strict-origin-when-cross-origin");
  const policy = headers.get("content-security-policy")!.split("; ");
  for (
    const part of [
      "default-src 'self'",
      "script-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]
  ) assert.ok(policy.includes(part), part);
});

Deno.test("finishResponse() lets forms lead to this machine in development only", () => {
  function formAction(dev: boolean): string | undefined {
    const { headers } = finishResponse(
      new Response("", { headers: html }),
      createSecurity({ dev, rules }),
    );
    return /form-action [^;]+/.exec(headers.get("content-security-policy") ?? "")?.[0];
  }
  assert.equal(formAction(false), "form-action 'self' https:");
  assert.equal(formAction(true), "form-action 'self' https: http://localhost:* http://127.0.0.1:*");
});

Deno.test("finishResponse() allows scripts with the nonce once something asked for it", () => {
  const security = createSecurity({ dev: false, rules });
  const { nonce } = security;
  assert.equal(security.nonce, nonce);
  assert.match(nonce, /^[A-Za-z0-9+/]{22}==$/);
  assert.notEqual(createSecurity({ dev: false, rules }).nonce, nonce);
  const { headers } = finishResponse(new Response("", { headers: html }), security);
  assert.ok(
    headers.get("content-security-policy")!.includes(`script-src 'self' 'nonce-${nonce}';`),
  );
});

Deno.test("finishResponse() leaves what the application has set, and adds nothing that it withholds", () => {
  const own = { ...html, "referrer-policy": "no-referrer" };
  const security = createSecurity({ dev: false, rules });
  security.withheld.add("content-security-policy");
  const { headers } = finishResponse(new Response("", { headers: own }), security);
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.has("content-security-policy"), false);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
});

Deno.test("finishResponse() returns other responses as they are", () => {
  const response = Response.json({});
  assert.equal(finishResponse(response, createSecurity({ dev: false, rules })), response);
});
