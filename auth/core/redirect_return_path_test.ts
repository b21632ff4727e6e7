import assert from "node:assert/strict";
import { guardRedirect, returnPath } from "./redirect.ts";

const ORIGIN = "https://app.example";

function postFrom(referer?: string): string | null {
  const headers = referer === undefined ? {} : { referer };
  return returnPath(new Request(`${ORIGIN}/a`, { method: "POST", headers }), ORIGIN);
}

Deno.test("returnPath() is path and query of what can be asked for again", () => {
  assert.equal(returnPath(new Request("https://app.example/a?b=c#d"), ORIGIN), "/a?b=c");
  assert.equal(returnPath(new Request("https://app.example/", { method: "HEAD" }), ORIGIN), "/");
  assert.equal(returnPath(new Request("https://app.example//evil.example/"), ORIGIN), null);
});

// Tracks: R077
Deno.test("returnPath() of a form is the page that has it, of this origin alone", () => {
  assert.equal(postFrom("https://app.example/orders?page=2#top"), "/orders?page=2");
  assert.equal(postFrom(), null);
  for (
    const referer of [
      "https://evil.example/orders",
      "https://app.example.evil.example/",
      "https://app.example@evil.example/",
      "https://sub.app.example/",
      "http://app.example/orders",
      "https://app.example//evil.example/",
      "https://app.example/..//evil.example/",
      "https://app.example/\\evil.example/",
      "javascript:alert(1)",
      "//evil.example/",
      "about:blank",
      "",
    ]
  ) {
    assert.equal(postFrom(referer), null, referer);
  }
  // Behind a proxy that ends TLS: the own origin is the configured one.
  const behind = new Request("http://10.0.0.1:8080/a", {
    method: "POST",
    headers: { referer: "https://app.example/orders" },
  });
  assert.equal(returnPath(behind, ORIGIN), "/orders");
});

Deno.test("returnPath() of an address that is too long to be followed is the path, or nothing", () => {
  const of = (path: string) => returnPath(new Request(`${ORIGIN}${path}`), ORIGIN);
  const longest = `/a?${"b".repeat(2045)}`;
  assert.equal(of(longest), longest);
  assert.equal(of(`${longest}b`), "/a");
  assert.equal(of(`/${"a".repeat(2047)}?b`), `/${"a".repeat(2047)}`);
  assert.equal(of(`/${"a".repeat(2048)}`), null);
  for (const path of [longest, of(`${longest}b`)!]) {
    assert.equal(
      guardRedirect(path, { ownOrigin: ORIGIN, trustedOrigins: new Set() }),
      ORIGIN + path,
    );
  }
});
