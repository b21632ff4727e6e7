import assert from "node:assert/strict";
import { allowedMethods, isUnsafe, needsSameOrigin } from "./methods.ts";

const handler = (): null => null;

Deno.test("allowedMethods() lets a page be read, and changed when it has an action", () => {
  assert.deepEqual(allowedMethods({ kind: "page", module: {} }), ["GET", "HEAD", "OPTIONS"]);
  assert.deepEqual(allowedMethods({ kind: "page", module: { action: handler } }), [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
  ]);
});

Deno.test("allowedMethods() lists a route's exports, with HEAD beside GET and OPTIONS always", () => {
  const module = { GET: handler, DELETE: handler, helper: handler };
  assert.deepEqual(allowedMethods({ kind: "route", module }), [
    "GET",
    "HEAD",
    "DELETE",
    "OPTIONS",
  ]);
  assert.deepEqual(allowedMethods({ kind: "route", module: { POST: handler } }), [
    "POST",
    "OPTIONS",
  ]);
});

Deno.test("isUnsafe() counts every method as unsafe that is not known to be safe", () => {
  for (const method of ["GET", "HEAD", "OPTIONS"]) assert.equal(isUnsafe(method), false);
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "PURGE"]) {
    assert.equal(isUnsafe(method), true);
  }
});

Deno.test("needsSameOrigin() counts WebSockets too, and no other upgrade", () => {
  function asks(upgrade: string, method = "GET"): boolean {
    const request = new Request("https://app.example/", { method });
    request.headers.set("upgrade", upgrade);
    return needsSameOrigin(request);
  }
  assert.equal(asks("websocket"), true);
  assert.equal(asks("WebSocket"), true);
  assert.equal(asks("h2c"), false);
  assert.equal(asks("h2c", "POST"), true);
  assert.equal(needsSameOrigin(new Request("https://app.example/")), false);
});
