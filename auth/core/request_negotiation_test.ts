import assert from "node:assert/strict";
import { prefersJson } from "./request.ts";

function prefers(accept: string | null): boolean {
  return prefersJson(
    new Request("http://localhost/", accept === null ? {} : { headers: { accept } }),
  );
}

Deno.test("prefersJson() is true when JSON weighs more than HTML", () => {
  for (
    const accept of [
      "application/json",
      "APPLICATION/JSON",
      // Axios and Angular.
      "application/json, text/plain, */*",
      "*/*, application/json",
      "application/json, text/plain, */*;q=0.1",
      "text/html;q=0.5, application/json",
      "application/json;q=0.9, text/html;q=0.8",
      "application/*, text/html;q=0.9",
      "application/json, text/html;q=0",
      "text/html; q=0.1, application/json; q=0.2",
    ]
  ) assert.equal(prefers(accept), true, accept);
});

Deno.test("prefersJson() is false for browsers and for whoever accepts anything", () => {
  for (
    const accept of [
      null,
      "*/*",
      "",
      "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "application/json;q=0.5, text/html",
      "application/json;q=0.5, */*",
      "*/*, text/*, application/json;q=0.9",
      "text/html, application/json, */*",
      "text/html, application/json",
      "application/json;q=0",
      "application/json;q=nonsense",
      "application/json;q=-1",
      "application/problem+json",
      "image/png",
    ]
  ) assert.equal(prefers(accept), false, String(accept));
});

Deno.test("prefersJson() is true for a body of JSON of whoever accepts anything", () => {
  const prefersFor = (type: string, accept?: string) =>
    prefersJson(
      new Request("http://localhost/", {
        method: "POST",
        body: "{}",
        headers: { "content-type": type, ...accept && { accept } },
      }),
    );
  assert.equal(prefersFor("application/json"), true);
  assert.equal(prefersFor("Application/JSON; charset=utf-8", "*/*"), true);
  assert.equal(prefersFor("application/json", "text/html"), false);
  assert.equal(prefersFor("application/x-www-form-urlencoded", "*/*"), false);
  assert.equal(prefersFor("text/plain"), false);
});

// Tracks: R155
Deno.test("prefersJson() reads no more ranges than any client sends", () => {
  assert.equal(prefers("a/b,".repeat(100) + "application/json"), false);
});
