import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { passwordProvider } from "../tests/application.ts";
import { asWorker } from "../tests/as_worker.ts";
import {
  clientAddress,
  type TrustedProxies,
  trustPlatform,
  trustProxies,
  type TrustProxiesOptions,
  warnOfProxy,
} from "./client_address.ts";
import { requestedUrl } from "./origin.ts";
import { createAuth } from "../app/create_auth.ts";

const PROXY = "10.0.0.9";
const TRUST = ["10.0.0.0/8", "2001:db8::/32"];

interface Asked {
  header?: TrustProxiesOptions["header"];
  headers?: HeadersInit;
  peer?: string;
  trust?: string[] | null;
}

function ask({ headers = {}, peer, trust = null, header = "x-forwarded-for" }: Asked) {
  return [
    new Request("http://backend.internal:8080/a?b=1", { headers }),
    peer === undefined ? {} : { clientAddress: peer },
    { address: { trustedProxies: trust && trustProxies(trust, { header }) } },
  ] as const;
}

function addressOf(asked: Asked): string | null {
  return clientAddress(...ask(asked));
}

// Tracks: R068
Deno.test("clientAddress() is the host's, in one form, and no header's without trustedProxies", () => {
  const headers = {
    "x-forwarded-for": "203.0.113.5",
    "forwarded": "for=203.0.113.5",
    "x-real-ip": "203.0.113.5",
    "cf-connecting-ip": "203.0.113.5",
    "true-client-ip": "203.0.113.5",
  };
  assert.equal(addressOf({ headers }), null);
  assert.equal(addressOf({ headers, peer: "192.0.2.1" }), "192.0.2.1");
  assert.equal(addressOf({ headers, peer: "::ffff:192.0.2.1" }), "192.0.2.1");
  assert.equal(addressOf({ headers, peer: "not an address" }), null);
  assert.equal(addressOf({ headers, peer: "192.0.2.1", trust: TRUST }), "192.0.2.1");
});

// Tracks: BA #10203
Deno.test("clientAddress() is the right-most hop that is no trusted proxy", () => {
  const cases: [chain: string, address: string][] = [
    ["203.0.113.5", "203.0.113.5"],
    ["1.2.3.4, 203.0.113.5", "203.0.113.5"],
    ["1.2.3.4, 203.0.113.5, 10.1.1.1", "203.0.113.5"],
    ["1.2.3.4, 203.0.113.5 ,2001:DB8::7, 10.1.1.1", "203.0.113.5"],
    ["203.0.113.5:4711", "203.0.113.5"],
    ["[2001:0DB9::1]:4711", "2001:db9::1"],
    ["2001:0DB9::1", "2001:db9::1"],
    ["10.1.1.1, 10.2.2.2", "10.1.1.1"],
    // What cannot be read ends the chain: who stands before it is unknown.
    ["203.0.113.5, unknown", PROXY],
    ["203.0.113.5, unknown, 10.2.2.2", "10.2.2.2"],
    ["203.0.113.5,", PROXY],
    ["", PROXY],
  ];
  for (const [chain, address] of cases) {
    const headers = { "x-forwarded-for": chain };
    assert.equal(addressOf({ headers, peer: PROXY, trust: TRUST }), address, chain);
  }
  const long = `203.0.113.5, ${"10.1.1.1, ".repeat(5000)}10.1.1.1`;
  assert.equal(
    addressOf({ headers: { "x-forwarded-for": long }, peer: PROXY, trust: TRUST }),
    "10.1.1.1",
  );
});

// Tracks: R068
Deno.test("clientAddress() reads the one header that the proxies write, and no other beside it", () => {
  const cases: [header: string, address: string][] = [
    ["for=203.0.113.5", "203.0.113.5"],
    ['For="[2001:db9::17]:4711";proto=https', "2001:db9::17"],
    ["for=1.2.3.4, proto=https;for=203.0.113.5;by=10.0.0.1, for=10.1.1.1", "203.0.113.5"],
    ["for=203.0.113.5, for=unknown", PROXY],
    ["for=203.0.113.5, by=10.1.1.1", PROXY],
    ["for=203.0.113.5, xfor=9.9.9.9", PROXY],
  ];
  for (const [header, address] of cases) {
    const asked = { headers: { forwarded: header }, peer: PROXY, trust: TRUST };
    assert.equal(addressOf({ ...asked, header: "forwarded" }), address, header);
    assert.equal(addressOf(asked), PROXY, header);
  }
  const headers = { "x-forwarded-for": "203.0.113.5", "forwarded": "for=203.0.113.6" };
  const both = { headers, peer: PROXY, trust: TRUST };
  assert.equal(addressOf(both), "203.0.113.5");
  assert.equal(addressOf({ ...both, header: "forwarded" }), "203.0.113.6");
  const lone = { headers: { "x-forwarded-for": "203.0.113.5" }, peer: PROXY, trust: TRUST };
  assert.equal(addressOf({ ...lone, header: "forwarded" }), PROXY);
});

// Tracks: R068, BA #10203
Deno.test("a client behind a proxy has one number of attempts, whatever it writes into the other header", async () => {
  const forged: HeadersInit[] = [
    {},
    { forwarded: "for=192.0.2.77" },
    { forwarded: "for=unknown" },
    { forwarded: "for=203.0.113.5, for=192.0.2.78" },
    { forwarded: "nonsense" },
  ];
  const auth = createAuth<unknown>({
    baseUrl: "https://app.example",
    database: createMemoryStorage(),
    trustedProxies: trustProxies(TRUST),
    providers: [passwordProvider()],
  });
  const statuses: number[] = [];
  for (const further of [...forged, ...forged]) {
    const request = new Request("https://app.example/auth/signin/credentials", {
      method: "POST",
      headers: {
        "origin": "https://app.example",
        "accept": "application/json",
        "content-type": "application/json",
        "x-forwarded-for": "203.0.113.5",
        ...further,
      },
      body: JSON.stringify({ name: "ada", password: "wrong" }),
    });
    statuses.push((await auth.handle(request, {}, { clientAddress: PROXY }))!.status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429, 429, 429]);
});

// Tracks: R068
Deno.test("requestedUrl() takes scheme and host from a trusted proxy alone", () => {
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.example" };
  const urlOf = (asked: Asked) => requestedUrl(...ask(asked)).href;
  const own = "http://backend.internal:8080/a?b=1";
  assert.equal(urlOf({ headers }), own);
  assert.equal(urlOf({ headers, peer: PROXY }), own);
  assert.equal(urlOf({ headers, peer: "192.0.2.1", trust: TRUST }), own);
  assert.equal(urlOf({ headers, trust: TRUST }), own);
  assert.equal(urlOf({ headers, peer: PROXY, trust: TRUST }), "https://app.example/a");
  const hostile: HeadersInit[] = [
    { "x-forwarded-proto": "javascript" },
    { "x-forwarded-proto": "https://evil.example/?" },
    { "x-forwarded-host": "evil.example/path" },
    { "x-forwarded-host": "user@evil.example" },
    { "x-forwarded-host": "app.example:99999" },
    { "x-forwarded-host": "[::1" },
  ];
  for (const wrong of hostile) {
    const asked = { headers: wrong, peer: PROXY, trust: TRUST };
    assert.equal(urlOf(asked), own, JSON.stringify(wrong));
  }
  const two = {
    "x-forwarded-proto": "https, http",
    "x-forwarded-host": "evil.example, app.example",
  };
  assert.equal(
    urlOf({ headers: two, peer: PROXY, trust: TRUST }),
    "http://backend.internal:8080/a",
  );
});

Deno.test("trustProxies() names what is no address, and a header that tells none", () => {
  const field = (error: unknown) => error instanceof ConfigurationError && error.field === "header";
  assert.throws(() => trustProxies(TRUST, { header: "x-real-ip" as never }), field);
  assert.throws(() => trustProxies(TRUST, { heeder: "forwarded" } as never), /heeder/);
  for (const value of ["10.0.0.0/8", [7], ["proxy.internal"], ["0.0.0.0/0"], ["10.0.0.0/8", ""]]) {
    assert.throws(
      () => trustProxies(value as string[]),
      (error) => error instanceof ConfigurationError && /trustedProxies/.test(error.field ?? ""),
    );
  }
});

// Tracks: R068
Deno.test("behind a trusted proxy the own origin, Secure and the address in events are the client's", async () => {
  const heard: (string | undefined)[] = [];
  const auth = createAuth<unknown>({
    database: createMemoryStorage(),
    allowedHosts: ["app.example", "localhost:8080"],
    trustedProxies: trustProxies(TRUST),
    providers: [passwordProvider()],
    events: { "sign-in": ({ address }) => heard.push(address) },
  });
  const headers = {
    "origin": "https://app.example",
    "accept": "text/html",
    "content-type": "application/json",
    "x-forwarded-for": "198.51.100.1, 203.0.113.5",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "app.example",
  };
  function signIn(clientAddress?: string): Promise<Response | null> {
    const request = new Request("http://localhost:8080/auth/signin/credentials", {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "ada", password: "right" }),
    });
    return auth.handle(request, {}, clientAddress === undefined ? {} : { clientAddress });
  }
  const response = (await signIn(PROXY))!;
  assert.equal(response.headers.get("location"), "https://app.example/");
  assert.match(response.headers.getSetCookie()[0]!, /; Secure/);
  assert.deepEqual(heard, ["203.0.113.5"]);
  // Whoever comes without the proxy is at localhost, and its page is another site's.
  for (const peer of [undefined, "192.0.2.1"]) assert.equal((await signIn(peer))!.status, 403);
  headers["x-forwarded-host"] = "evil.example";
  assert.equal((await signIn(PROXY))!.status, 421);
});

// Tracks: R024, R068, R089, GHSA-569q
Deno.test("on workers a host that a trusted proxy passes on is believed only where the options name it", async () => {
  const platform = Object.getOwnPropertyDescriptor(navigator, "userAgent");
  Object.defineProperty(navigator, "userAgent", {
    value: "Cloudflare-Workers",
    configurable: true,
  });
  const asked = new Request("https://app.example/auth/signout", {
    method: "POST",
    headers: { "x-forwarded-host": "evil.example", "origin": "https://evil.example" },
  });
  const options = { database: createMemoryStorage(), trustedProxies: trustProxies(TRUST) };
  const from = { clientAddress: PROXY };
  try {
    // Many a proxy hands on what the client wrote.
    await assert.rejects(
      async () => await createAuth<unknown>(options).handle(asked, {}, from),
      (error) => error instanceof ConfigurationError && error.field === "baseUrl",
    );
    const allowed = createAuth<unknown>({ ...options, allowedHosts: ["app.example"] });
    assert.equal((await allowed.handle(asked, {}, from))!.status, 421);
    const own = new Request(asked, { headers: { origin: "https://app.example" } });
    const alone = createAuth<unknown>({ database: createMemoryStorage() });
    assert.equal((await alone.handle(own, {}, {}))!.status, 303);
  } finally {
    if (platform === undefined) Reflect.deleteProperty(navigator, "userAgent");
    else Object.defineProperty(navigator, "userAgent", platform);
  }
});

// Tracks: R068, R168
Deno.test("trustPlatform() takes the address from one header, and the origin from none", () => {
  const headers = new Headers({
    "x-vercel-forwarded-for": "2001:0DB8::1, 10.0.0.1",
    "x-real-ip": "192.0.2.7",
    "x-twice": "203.0.113.1, 192.0.2.8",
    "x-word": "unknown",
    "x-forwarded-host": "evil.example",
  });
  const cases: [Parameters<typeof trustPlatform>[0], string | null][] = [
    ["vercel", "2001:db8::1"],
    [{ header: "X-Real-IP" }, "192.0.2.7"],
    // Not written anew: the first is what the client wrote.
    [{ header: "x-twice" }, null],
    [{ header: "x-word" }, null],
    [{ header: "x-absent" }, null],
  ];
  for (const [platform, expected] of cases) {
    const trusted = trustPlatform(platform);
    assert.equal(trusted.clientAddress(null, headers), expected);
    assert.equal(trusted.clientAddress(PROXY, headers), expected ?? PROXY);
    const url = new URL("http://backend.internal/a");
    assert.equal(trusted.requestedUrl(url, { peer: PROXY, headers }), url);
  }
  const wrong = ["netlify", { header: "x-forwarded-for" }, { header: "Forwarded" }, { header: "" }];
  for (const platform of [...wrong, { header: "a b" }, { name: "x" }, null]) {
    assert.throws(() => trustPlatform(platform as never), ConfigurationError);
  }
});

// Tracks: R068, R168
Deno.test("warnOfProxy() warns once of a header that nobody believes, and of no other", async () => {
  function warned(
    headers: HeadersInit,
    { address = "192.0.2.1" as string | null, proxies = null as TrustedProxies | null } = {},
  ): number {
    const events: string[] = [];
    const logger = { warn: (event: string) => void events.push(event) };
    const settings = { address: { trustedProxies: proxies }, logger };
    const request = new Request("https://app.example/", { headers });
    for (let turn = 0; turn < 2; turn++) warnOfProxy(request, address, settings);
    assert.deepEqual(events, events.map(() => "proxy-not-trusted"));
    return events.length;
  }
  for (const name of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
    assert.equal(warned({ [name]: "203.0.113.5" }), 1, name);
  }
  assert.equal(warned({ "x-client-ip": "203.0.113.5" }), 0);
  // Somebody has read it: the adapter of a platform, or a function of the application.
  assert.equal(warned({ "x-forwarded-for": "192.0.2.1, 10.0.0.1" }), 0);
  assert.equal(warned({ forwarded: 'for="[2001:db8::1]"' }, { address: "2001:db8::1" }), 0);
  // Nobody is counted by address, which is warned of where attempts are counted.
  assert.equal(warned({ "x-forwarded-for": "203.0.113.5" }, { address: null }), 0);
  // Of proxies that are named their own header alone, when it came by one that is missing in the list.
  const proxies = trustProxies(TRUST);
  assert.equal(warned({ "x-forwarded-for": "203.0.113.5" }, { proxies }), 1);
  assert.equal(warned({ "x-real-ip": "203.0.113.5" }, { proxies }), 0);
  const platform = trustPlatform({ header: "x-real-ip" });
  assert.equal(warned({ "x-forwarded-for": "203.0.113.5" }, { proxies: platform }), 0);
  // There the platform tells the address, and writes such headers of its own.
  const count = await asWorker(() => Promise.resolve(warned({ "x-forwarded-for": "203.0.113.5" })));
  assert.equal(count, 0);
});
