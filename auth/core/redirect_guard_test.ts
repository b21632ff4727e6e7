import assert from "node:assert/strict";
import { declarationsWith } from "../tests/declarations.ts";
import { HOSTILE_ADDRESSES } from "../tests/hostile_addresses.ts";
import { guardRedirect, ownRedirect, redirectResponse } from "./redirect.ts";
import type { SafeRedirect } from "../errors.ts";

const OWN = "https://app.example";
const BOUNDS = { ownOrigin: OWN, trustedOrigins: new Set(["https://admin.example"]) };

// Tracks: R077, CVE-2024-56734, GHSA-8jhw-6pjj-8723, CVE-2025-27143, GHSA-hjpm-7mrm-26w8, CVE-2025-71403, GHSA-vp58-j275-797x, CVE-2022-24858, CVE-2022-29214, CVE-2020-11053, CVE-2022-24794, CVE-2022-3145, CVE-2026-67333, GHSA-86j7-9j95-vpqj, CVE-2026-32235
Deno.test("guardRedirect() refuses whatever leaves the application", () => {
  for (const target of HOSTILE_ADDRESSES) {
    assert.equal(guardRedirect(target, BOUNDS), null, JSON.stringify(target));
  }
});

// Tracks: CVE-2022-31093
Deno.test("guardRedirect() refuses what is no text, without throwing", () => {
  for (const target of [undefined, null, 5, {}, [], ["/x"], new URL(OWN), true, Symbol("x")]) {
    assert.equal(guardRedirect(target, BOUNDS), null);
  }
});

// Tracks: R077
Deno.test("guardRedirect() emits the resolved absolute URL", () => {
  const passed: [string, string][] = [
    ["/", `${OWN}/`],
    ["/dashboard?tab=1#top", `${OWN}/dashboard?tab=1#top`],
    ["dashboard", `${OWN}/dashboard`],
    ["?a=b", `${OWN}/?a=b`],
    [OWN, `${OWN}/`],
    ["https://APP.example:443/x", `${OWN}/x`],
    ["https://admin.example/x", "https://admin.example/x"],
    ["/ümlaut", `${OWN}/%C3%BCmlaut`],
    // A path of the own origin whose bare path would be another host.
    ["/..//evil.example", `${OWN}//evil.example`],
    ["/./%2e%2e//evil.example", `${OWN}//evil.example`],
    ["/%2fevil.example", `${OWN}/%2fevil.example`],
    ["/%5cevil.example", `${OWN}/%5cevil.example`],
    ["https:evil.example", `${OWN}/evil.example`],
    ["\u00a0//evil.example", `${OWN}/%C2%A0//evil.example`],
    ["/\u010a\u010d", `${OWN}/%C4%8A%C4%8D`],
  ];
  for (const [target, expected] of passed) {
    assert.equal(guardRedirect(target, BOUNDS), expected, target);
  }
});

// Tracks: R155
Deno.test("guardRedirect() does not parse what is longer than any address", () => {
  assert.equal(guardRedirect(`/${"a/../".repeat(100_000)}`, BOUNDS), null);
});

Deno.test("ownRedirect() adds parameters and refuses other origins", () => {
  assert.equal(
    ownRedirect("/login?x=1", OWN, { callbackUrl: "/a b", error: null }),
    `${OWN}/login?x=1&callbackUrl=%2Fa+b`,
  );
  assert.throws(() => ownRedirect("//evil.example", OWN), TypeError);
});

// Tracks: CVE-2025-53535, GHSA-36rg-gfq2-3h56
Deno.test("redirectResponse() takes only what the guard has passed", () => {
  const response = redirectResponse(guardRedirect("/x", BOUNDS)!, 303);
  assert.equal(response.headers.get("location"), `${OWN}/x`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  // @ts-expect-error A text that was not checked must not compile.
  const unchecked: SafeRedirect = "https://evil.example/";
  assert.equal(typeof unchecked, "string");
});

// Tracks: GHSA-36rg-gfq2-3h56, K6
Deno.test("nothing of the library redirects but what takes an address that the guard has passed", async () => {
  const writers = await declarationsWith(
    /Response\.redirect|(?<!\.get\()["']location["']|\blocation:/i,
  );
  // Two are types of functions of frameworks, which are given the address of a RedirectError; one describes the endpoints.
  assert.deepEqual(writers, [
    "NextFunctions",
    "RedirectError",
    "SvelteKitFunctions",
    "answersOf",
    "redirectResponse",
  ]);
});
