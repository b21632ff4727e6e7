import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { asksForPage, takesScript } from "./error_page.ts";

function message(fields: {
  method?: string;
  statusCode?: number;
  headers: Record<string, string>;
}): IncomingMessage {
  return fields as unknown as IncomingMessage;
}

Deno.test("asksForPage() tells a page that is shown from a piece that a script reads", () => {
  const ask = (headers: Record<string, string>, method = "GET"): boolean =>
    asksForPage(message({ method, headers }));
  assert.equal(ask({ "sec-fetch-dest": "document", accept: "*/*" }), true);
  assert.equal(ask({ "sec-fetch-dest": "document" }, "POST"), true);
  assert.equal(ask({ accept: "text/html,*/*" }), true);
  assert.equal(ask({ "sec-fetch-dest": "empty", accept: "text/html" }), false);
  assert.equal(ask({ accept: "*/*" }), false);
  assert.equal(ask({ accept: "text/html" }, "HEAD"), false);
});

Deno.test("takesScript() leaves alone what is no page, compressed, or forbids the script", () => {
  const takes = (headers: Record<string, string>, statusCode = 200): boolean =>
    takesScript(message({ statusCode, headers: { "content-type": "text/html", ...headers } }));
  assert.equal(takes({}), true);
  assert.equal(takes({}, 404), true);
  assert.equal(takes({ "content-type": "text/html; charset=utf-8" }), true);
  assert.equal(takes({ "content-type": "application/json" }), false);
  assert.equal(takes({ "content-encoding": "gzip" }), false);
  assert.equal(takes({}, 304), false);
  const policy = (text: string): boolean => takes({ "content-security-policy": text });
  assert.equal(policy("default-src 'self'; style-src 'none'"), true);
  assert.equal(policy("frame-ancestors 'none'"), true);
  assert.equal(policy("default-src 'none'; style-src 'sha256-x'"), false);
  assert.equal(policy("default-src 'self'; script-src 'nonce-x'"), false);
});
