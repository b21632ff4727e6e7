import assert from "node:assert/strict";
import { ConfigurationError, RequestError } from "../errors.ts";
import { isLoopbackHost } from "../lib/ip_address.ts";
import { type AddressOptions, isSecureOrigin, ownOrigin } from "./origin.ts";

const NOTHING: AddressOptions = {
  baseOrigin: null,
  allowedHosts: null,
  platformRoutesByHost: false,
  trustedProxies: null,
};

function originFor(url: string, options: Partial<AddressOptions> = {}): string {
  return ownOrigin(() => new URL(url), { ...NOTHING, ...options });
}

Deno.test("ownOrigin() is baseUrl's when it is configured, whatever the request says", () => {
  assert.equal(
    originFor("http://evil.example/", { baseOrigin: "https://app.example" }),
    "https://app.example",
  );
});

Deno.test("ownOrigin() is that of a tenant's host beside baseUrl, which says scheme and port of all", () => {
  const isTenantHost = (url: URL) =>
    url.port === "" && /^[a-z]+\.app\.(?:example|localhost)$/.test(url.hostname);
  const cases: [baseOrigin: string, requested: string, expected: string][] = [
    ["https://app.example", "https://acme.app.example/", "https://acme.app.example"],
    // As behind a proxy, which speaks http and another port to the server.
    ["https://app.example", "http://acme.app.example:3000/", "https://acme.app.example"],
    [
      "http://app.localhost:3005",
      "http://acme.app.localhost:3005/",
      "http://acme.app.localhost:3005",
    ],
    ["https://app.example", "https://app.example/", "https://app.example"],
    ["https://app.example", "https://evil.example/", "https://app.example"],
    ["https://app.example", "https://acme.app.example.evil.example/", "https://app.example"],
    ["https://app.example", "https://a.b.app.example/", "https://app.example"],
  ];
  for (const [baseOrigin, requested, expected] of cases) {
    assert.equal(originFor(requested, { baseOrigin, isTenantHost }), expected, requested);
  }
});

Deno.test("ownOrigin() is the request's for an allowed host, and refuses others", () => {
  const allowedHosts = new Set(["app.example", "localhost:8787"]);
  assert.equal(originFor("https://app.example/x", { allowedHosts }), "https://app.example");
  assert.equal(originFor("http://localhost:8787/x", { allowedHosts }), "http://localhost:8787");
  const others = [
    "https://evil.example",
    "https://app.example:444",
    "https://app.example.evil.example",
    "http://localhost",
  ];
  for (const url of others) {
    assert.throws(
      () => originFor(url, { allowedHosts }),
      (error) => error instanceof RequestError && error.status === 421,
      url,
    );
  }
});

// Tracks: R090, GHSA-569q
Deno.test("ownOrigin() believes the request only on workers and on loopback hosts", () => {
  assert.equal(originFor("http://localhost:3000/"), "http://localhost:3000");
  assert.equal(
    originFor("https://app.example/", { platformRoutesByHost: true }),
    "https://app.example",
  );
  // A host that the platform routes and nobody has.
  const isNobodys = () => true;
  assert.throws(
    () => originFor("https://x.app.example/", { platformRoutesByHost: true, isNobodys }),
    (error) => error instanceof RequestError && error.code === "HOST_NOT_ALLOWED",
  );
  assert.equal(originFor("http://x.localhost/", { isNobodys }), "http://x.localhost");
  assert.throws(
    () => originFor("https://app.example/"),
    (error) =>
      error instanceof ConfigurationError && /baseUrl/.test(error.message) &&
      /allowedHosts/.test(error.message),
  );
});

Deno.test("isLoopbackHost() knows the hosts that never leave the machine", () => {
  for (const host of ["localhost", "app.localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) {
    assert.equal(isLoopbackHost(host), true, host);
  }
  for (
    const host of [
      "localhost.evil.example",
      "evillocalhost",
      "127.0.0.1.evil.example",
      "128.0.0.1",
      "[::2]",
      "0.0.0.0",
    ]
  ) {
    assert.equal(isLoopbackHost(host), false, host);
  }
});

Deno.test("isSecureOrigin() is false only for plain http on a loopback host", () => {
  assert.equal(isSecureOrigin("http://localhost:8787"), false);
  assert.equal(isSecureOrigin("https://localhost"), true);
  assert.equal(isSecureOrigin("http://app.example"), true);
});
