import assert from "node:assert/strict";
import { type AddedSources, addSources, withSources, wrongSources } from "./csp.ts";

function policyWith(...added: Record<string, string[]>[]): string {
  const all: AddedSources = new Map();
  for (const sources of added) addSources(all, sources, "app/page.tsx");
  const defaults = new Map([
    ["default-src", "'self'"],
    ["img-src", "'self' data:"],
    ["frame-ancestors", "'none'"],
  ]);
  return withSources(defaults, all);
}

// Tracks: R080
Deno.test("withSources() adds to what a directive has, or to that of default-src", () => {
  assert.equal(
    policyWith({ connect: ["https://api.example"], img: ["https://cdn.example/a/"] }, {
      connect: ["wss://api.example:8443", "https://api.example"],
      frame: [],
      frameAncestors: ["'self'"],
    }),
    "default-src 'self'; img-src 'self' data: https://cdn.example/a/; frame-ancestors 'self'; " +
      "connect-src 'self' https://api.example wss://api.example:8443",
  );
});

// Tracks: R080
Deno.test("wrongSources() refuses what would end a directive or allow injected code", () => {
  for (
    const [key, source] of [
      ["connect", "https://api.example; script-src *"],
      ["connect", "https://api.example\nx: y"],
      ["connect", "https://api.example/a;b"],
      ["connect", "https://api.example/a,default-src"],
      ["connect", "https://a.example https://b.example"],
      ["connect", "api.example"],
      ["connect", "*"],
      ["connect", "'none'"],
      ["connect", ""],
      ["connect", "javascript:"],
      ["img", "http:"],
      ["style", "'unsafe-inline'"],
      ["script", "'unsafe-inline'"],
      ["script", "'UNSAFE-EVAL'"],
      ["script", "data:"],
      ["script", "https:"],
      ["script", "blob:"],
      ["script", "https://*"],
      ["script", "'nonce-abc'"],
      ["script", "'sha256-x' *"],
      ["worker", "data:"],
    ] as const
  ) {
    const wrong = wrongSources({ [key]: [source] });
    assert.match(wrong ?? "", new RegExp(`^exports csp with the source .* for ${key}: `), source);
  }
  assert.match(wrongSources({ connect: "https://a.example" })!, /connect, which is not a list/);
  assert.match(wrongSources({ "script-src": [] })!, /"script-src", which is not one of connect, /);
  assert.match(wrongSources({ constructor: [] })!, /is not one of/);
  assert.match(wrongSources(["https://a.example"])!, /neither an object/);
  assert.match(wrongSources({ connect: [1] })!, /a source is a text/);
});

Deno.test("wrongSources() accepts origins, wildcard subdomains, ports and hashes", () => {
  assert.equal(
    wrongSources({
      connect: ["https://*.example.com", "http://localhost:*", "ws://127.0.0.1:9000", "https:"],
      frame: ["https://player.example/embed/"],
      script: ["https://js.example/v3/", "'sha256-AAAA='", "'wasm-unsafe-eval'"],
      worker: ["blob:"],
      img: undefined,
      media: ["http://[::1]:8080"],
    }),
    null,
  );
});
