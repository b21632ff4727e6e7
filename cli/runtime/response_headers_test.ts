import assert from "node:assert/strict";
import { finishResponse } from "./response_headers.ts";

const html = { "content-type": "text/html; charset=utf-8" };

Deno.test("finishResponse() adds nosniff and a referrer policy to HTML", () => {
  const { headers } = finishResponse(new Response("", { headers: html }));
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "strict-origin-when-cross-origin");
});

Deno.test("finishResponse() leaves what the application has set", () => {
  const own = { ...html, "referrer-policy": "no-referrer" };
  const { headers } = finishResponse(new Response("", { headers: own }));
  assert.equal(headers.get("referrer-policy"), "no-referrer");
});

Deno.test("finishResponse() returns other responses as they are", () => {
  const response = Response.json({});
  assert.equal(finishResponse(response), response);
});
