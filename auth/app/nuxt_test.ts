import {
  createApp,
  createError,
  type EventHandler,
  eventHandler,
  type H3Event,
  toNodeListener,
} from "h3";
import assert from "node:assert/strict";
import { createServer, request as askServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { fetchNodeRequestHandler } from "node-mock-http";
import { sendRaw } from "../../tests/support/raw_http.ts";
import { getUser, requireAuth, requireRole, startSession } from "../session/operations.ts";
import { issueSession } from "../session/read_session.ts";
import { trustPlatform, trustProxies } from "../core/client_address.ts";
import { credentials } from "../sign_in/credentials.ts";
import { deviceBound } from "../sign_in/device_bound/provider.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createAuth } from "./create_auth.ts";
import {
  nuxtAuth,
  type NuxtAuthOptions,
  type NuxtHandshake,
  type NuxtSocketHooks,
} from "./nuxt.ts";
import type { AuthOptions } from "./options.ts";

const ORIGIN = "https://app.example";

/** Fetches from the server itself, without a connection, as Nitro does. */
type LocalFetch = (path: string, init?: RequestInit) => Promise<Response>;

/** An application of h3 as Nitro makes it, served over a connection. */
async function serving(
  handlerOf: (localFetch: LocalFetch) => (event: H3Event) => unknown,
  work: (site: {
    ask(path: string, init?: RequestInit): Promise<Response>;
    host: string;
    localFetch: LocalFetch;
    addresses: unknown[];
  }) => Promise<void>,
  options: Partial<AuthOptions> = {},
  own: Partial<NuxtAuthOptions> = {},
): Promise<void> {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const addresses: unknown[] = [];
  const auth = createAuth({
    database,
    baseUrl: ORIGIN,
    pages: { signIn: "/login" },
    rateLimit: false,
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: () => Promise.resolve(null),
    })],
    events: {
      "sign-in-failed": ({ address }) => void addresses.push(address),
      "origin-refused": () => void addresses.push("refused"),
    },
    ...options,
  });
  let listener: (event: H3Event) => void = () => {};
  const app = createApp({ onRequest: (event) => listener(event) });
  nuxtAuth(auth, { createError, ...own })({
    h3App: app as { handler: EventHandler },
    hooks: { hook: (_name, given) => void (listener = given) },
  });
  const node = toNodeListener(app);
  const localFetch =
    ((path: string, init: object) =>
      fetchNodeRequestHandler(node as never, path, init)) as LocalFetch;
  app.use(eventHandler(handlerOf(localFetch)));
  const server = createServer(node);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const host = `127.0.0.1:${port}`;
  async function ask(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(`http://${host}${path}`, { redirect: "manual", ...init });
    return new Response(await response.text(), response);
  }
  try {
    await work({ ask, host, localFetch, addresses });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
}

/** A wrong sign-in, which is reported with the client's address. */
const WRONG = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ pin: "0" }),
};

Deno.test("nuxtAuth() answers what requireAuth() and the like throw with a redirect, and errors of h3", async () => {
  await serving(() => async ({ path }) => {
    if (path === "/in") return (await startSession("ada")).user.name;
    if (path === "/admin") requireRole("admin");
    if (path === "/broken") throw createError({ status: 418, message: "A teapot" });
    return requireAuth().name;
  }, async ({ ask }) => {
    const visitor = await ask("/account?page=2");
    assert.equal(visitor.status, 303);
    const to = `${ORIGIN}/login?callbackUrl=%2Faccount%3Fpage%3D2`;
    assert.equal(visitor.headers.get("location"), to);
    const unknown = await ask("/admin");
    assert.equal(unknown.status, 401);
    assert.equal(unknown.headers.get("cache-control"), "no-store");
    assert.equal((await unknown.json()).data.code, "UNAUTHENTICATED");
    const broken = await ask("/broken");
    assert.deepEqual([broken.status, (await broken.json()).statusCode], [418, 418]);

    const begun = await ask("/in");
    assert.equal(await begun.text(), "Ada");
    const headers = { cookie: cookieOf(begun) };
    assert.equal(await (await ask("/account", { headers })).text(), "Ada");
    const refused = await ask("/admin", { headers });
    assert.deepEqual([refused.status, (await refused.json()).data.code], [403, "FORBIDDEN"]);
  });
});

// Tracks: R190
Deno.test("nuxtAuth() adds cookies and no-store whatever a handler writes, until the headers go", async () => {
  await serving(() => async (event) => {
    const { res } = event.node;
    if (event.path === "/late") {
      res.write("a");
      res.end(await startSession("ada").then(() => "begun", ({ code }) => code));
      return;
    }
    await startSession("ada");
    const headers = {
      "cache-control": "public, max-age=60",
      vary: "Accept",
      "set-cookie": "own=1",
    };
    res.writeHead(200, headers);
    res.end("done");
  }, async ({ ask }) => {
    assert.equal(await (await ask("/late")).text(), "aHEADERS_SENT");
    const { headers } = await ask("/");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("vary"), "Accept, Cookie");
    assert.match(headers.getSetCookie().join("\n"), /^own=1\n.*session-token=/);
  });
});

// Tracks: R044, CVE-2025-48947
Deno.test("nuxtAuth() keeps caches from a stream that asks after its headers who is signed in", async () => {
  await serving(() => async ({ path, node: { res } }) => {
    if (path === "/in") return (await startSession("ada")).user.name;
    if (path === "/whole") return "everybody's";
    if (path === "/public") res.setHeader("cache-control", "public, max-age=60");
    res.write("Late ");
    await new Promise((resolve) => setTimeout(resolve, 1));
    try {
      res.end(getUser()?.name ?? "stranger");
    } catch (error) {
      res.end((error as { code: string }).code);
    }
    return undefined;
  }, async ({ ask }) => {
    const headers = { cookie: cookieOf(await ask("/in")) };
    const late = await ask("/late", { headers });
    assert.equal(await late.text(), "Late Ada");
    assert.equal(late.headers.get("cache-control"), "no-store");
    assert.equal(late.headers.get("vary"), "Cookie");
    const kept = await ask("/public", { headers });
    assert.equal(await kept.text(), "Late HEADERS_SENT");
    const whole = await ask("/whole", { headers });
    assert.equal(whole.headers.get("cache-control"), null);
    assert.equal(await whole.text(), "everybody's");
  });
});

// Tracks: R044, CVE-2025-48947
Deno.test("nuxtAuth() gives a stream its headers and cookies where Nitro answers without a connection", async () => {
  await serving(() => async ({ path }) => {
    if (path === "/in") await startSession("ada");
    return new ReadableStream({
      async start(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.enqueue(new TextEncoder().encode(getUser()?.name ?? "stranger"));
        controller.close();
      },
    });
  }, async ({ localFetch }) => {
    const begun = await localFetch("/in");
    assert.equal(begun.headers.get("cache-control"), "no-store");
    const late = await localFetch("/late", { headers: { cookie: cookieOf(begun) } });
    assert.equal(await late.text(), "Ada");
    assert.equal(late.headers.get("cache-control"), "no-store");
    assert.equal(late.headers.get("vary"), "Cookie");
  });
});

// Tracks: CVE-2025-48947
Deno.test("nuxtAuth() leaves no header for caches of the own host where the answer is somebody's, and those for everybody", async () => {
  const targeted = ["cdn-cache-control", "cloudflare-cdn-cache-control", "surrogate-control"];
  await serving(() => async (event) => {
    const { path, node: { res } } = event;
    if (path === "/in") await startSession("ada");
    for (const name of targeted) res.setHeader(name, "max-age=600");
    if (path === "/head") {
      await startSession("ada");
      return res.writeHead(200, { "Surrogate-Control": "max-age=600" }).end("head");
    }
    if (path === "/public") res.setHeader("cache-control", "public, max-age=60");
    if (path === "/own") res.setHeader("clear-site-data", '"cache"');
    if (path === "/own") await startSession("ada");
    if (path === "/whole") return "everybody's";
    if (path === "/admin") return requireRole("admin");
    return requireAuth().name;
  }, async ({ ask }) => {
    const begun = await ask("/in");
    const headers = { cookie: cookieOf(begun) };
    const left = (response: Response) => targeted.filter((name) => response.headers.has(name));
    assert.deepEqual(left(begun), []);
    // By its own Cache-Control the application has said that it is for everybody.
    for (const path of ["/whole", "/public"]) {
      assert.deepEqual(left(await ask(path, { headers })), targeted);
    }
    for (const [path, status] of [["/admin", 403], ["/account", 200], ["/head", 200]] as const) {
      const answer = await ask(path, { headers });
      assert.deepEqual([path, answer.status, left(answer)], [path, status, []]);
      assert.equal(answer.headers.get("cache-control"), "no-store");
    }
    const visitor = await ask("/account");
    assert.deepEqual([visitor.status, left(visitor)], [303, []]);
    const own = await ask("/own");
    assert.match(own.headers.get("clear-site-data")!, /^"cache", "prefetchCache"/);
  });
});

Deno.test("nuxtAuth() offers a browser to bind a session that a handler begins, also one of a request within", async () => {
  const offered = /^\(ES256\);path="\/auth\/device\/start";challenge="[^"]+"$/;
  await serving((localFetch) => async ({ path, node: { req } }) => {
    if (path === "/in") return (await startSession("ada")).user.name;
    if (path === "/later") return requireAuth().name;
    const { cookie = "" } = req.headers;
    const headers: HeadersInit = path === "/visitor" ? { cookie } : {};
    const inner = await localFetch("/in", { headers });
    assert.match(inner.headers.get("secure-session-registration")!, offered);
    return await inner.text();
  }, async ({ ask }) => {
    const begun = await ask("/in");
    assert.match(begun.headers.get("secure-session-registration")!, offered);
    const headers = { cookie: cookieOf(begun) };
    assert.equal(
      (await ask("/later", { headers })).headers.get("secure-session-registration"),
      null,
    );
    const nobodys = await ask("/nobody", { headers });
    assert.deepEqual([nobodys.status, await nobodys.text()], [200, "Ada"]);
    assert.equal(nobodys.headers.get("secure-session-registration"), null);
    const visitors = await ask("/visitor", { headers });
    assert.deepEqual([visitors.status, await visitors.text()], [200, "Ada"]);
    assert.match(visitors.headers.get("secure-session-registration")!, offered);
    assert.notEqual(cookieOf(visitors), "");
    // A browser that asks ahead of a visit gets neither a cookie nor an offer, and asks again.
    const ahead = await ask("/in", { headers: { "sec-purpose": "prefetch" } });
    assert.deepEqual([ahead.status, cookieOf(ahead)], [503, ""]);
    assert.equal(ahead.headers.get("secure-session-registration"), null);
  }, { session: { deviceBound: deviceBound({ sendMail() {} }) } });
});

// Tracks: R190
Deno.test("nuxtAuth() refuses forms of other sites, before h3 reads their bodies as JSON", async () => {
  let calls = 0;
  await serving(() => () => ++calls, async ({ ask, host, addresses }) => {
    const from = (origin: string, type: string) =>
      ask("/", { method: "POST", headers: { origin, "content-type": type }, body: "{}" });
    for (
      const type of [
        "text/plain",
        "multipart/form-data; boundary=a",
        "application/x-www-form-urlencoded",
      ]
    ) {
      const refused = await from("https://evil.example", type);
      assert.equal(refused.status, 403);
      assert.equal((await refused.json()).data.code, "CROSS_SITE_REQUEST");
      // The Host of a request is no word about the own origin.
      assert.equal((await from(`http://${host}`, type)).status, 403);
    }
    assert.equal(calls, 0);
    assert.ok(addresses.length > 0);
    assert.equal((await from(ORIGIN, "text/plain")).status, 200);
    assert.equal((await from("https://evil.example", "application/json")).status, 200);
    const own = await ask("/auth/signout", {
      method: "POST",
      headers: { origin: "https://evil.example", "content-type": "application/json" },
    });
    assert.equal(own.status, 403);
  });
});

// Tracks: A-05
Deno.test("nuxtAuth() refuses a request whose headers fill what the server keeps of them", async () => {
  await serving(() => () => "Hello", async ({ host }) => {
    const port = Number(host.split(":")[1]);
    for (const [count, status] of [[999, 200], [1000, 431], [1500, 431]] as const) {
      const lines = ["GET / HTTP/1.1", `Host: ${host}`, "Connection: close"];
      const all = [...lines, ...Array(count - 2).fill("A: b")];
      assert.equal((await sendRaw(port, `${all.join("\r\n")}\r\n\r\n`)).status, status);
    }
  });
});

Deno.test("nuxtAuth() leaves to Nuxt's error page what it looks for, also of what is refused before Nitro takes it up", async () => {
  const auth = createAuth({ database: createMemoryStorage(), baseUrl: ORIGIN });
  const seen: unknown[] = [];
  const app = createApp({
    onRequest: ({ context }) => void (context.nitro ??= { errors: [], own: true }),
    // As Nuxt does it by useRuntimeConfig().
    onError: ({ statusCode }, { context }) => void seen.push([statusCode, context.nitro.errors]),
  });
  nuxtAuth(auth, { createError })({ h3App: app, hooks: { hook() {} } });
  app.use(eventHandler(({ path, context }) => path === "/own" ? context.nitro : requireRole("x")));
  const server = createServer(toNodeListener(app));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    const lines = [
      "POST / HTTP/1.1\r\nOrigin: https://evil.example\r\nContent-Length: 0",
      "TRACE / HTTP/1.1",
      "GET http://evil.example/ HTTP/1.1",
      "GET /role HTTP/1.1",
    ];
    for (const line of lines) {
      await sendRaw(port, `${line}\r\nHost: app.example\r\nConnection: close\r\n\r\n`);
    }
    assert.deepEqual(seen, [[403, []], [400, []], [400, []], [401, []]]);
    const own = await fetch(`http://127.0.0.1:${port}/own`);
    assert.deepEqual(await own.json(), { errors: [], own: true });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

// Tracks: R190
Deno.test("a request of the server to itself comes from the address of the one in which it is made", async () => {
  const spoofed = {
    ...WRONG.headers,
    "x-forwarded-for": "203.0.113.9",
    "cf-connecting-ip": "203.0.113.9",
    "x-client": "203.0.113.9",
  };
  const handlerOf = (localFetch: LocalFetch) => async () => {
    const { status } = await localFetch("/auth/signin/credentials", { ...WRONG, headers: spoofed });
    return String(status);
  };
  await serving(handlerOf, async ({ ask, localFetch, addresses }) => {
    await (await ask("/")).text();
    await localFetch("/auth/signin/credentials", { ...WRONG, headers: spoofed });
    // Without one nobody knows the address: what is made in the place of a connection has none.
    assert.deepEqual(addresses, ["127.0.0.1", undefined]);
  });
  await serving(handlerOf, async ({ ask, addresses }) => {
    await (await ask("/", { headers: { "x-forwarded-for": "198.51.100.7" } })).text();
    assert.deepEqual(addresses, ["198.51.100.7"]);
  }, { trustedProxies: trustProxies(["127.0.0.1"]) });
  // A header that the platform writes anew is that of the request outside, too.
  await serving(handlerOf, async ({ ask, addresses }) => {
    await (await ask("/", { headers: { "x-client": "198.51.100.8" } })).text();
    assert.deepEqual(addresses, ["198.51.100.8"]);
  }, { trustedProxies: trustPlatform({ header: "x-client" }) });
});

// Tracks: R168, R147
Deno.test("nuxtAuth() warns of a claimed address behind Nuxt's development server too, whose connection has no address", async () => {
  const before = process.env.NODE_ENV;
  const folder = await Deno.makeTempDir({ prefix: "framework-nuxt-" });
  const socketPath = join(folder, "nitro.sock");
  try {
    for (
      const [mode, claimed, address, warning] of [
        ["development", "203.0.113.9", "127.0.0.1", "proxy-not-trusted"],
        // What the proxy writes where the client has written nothing.
        ["development", "127.0.0.1", "127.0.0.1", undefined],
        ["development", "::1", "::1", undefined],
        // There nobody knows what listens at the other end.
        ["production", "203.0.113.9", null, "client-address-unknown"],
      ]
    ) {
      process.env.NODE_ENV = mode!;
      const seen: unknown[] = [];
      const auth = createAuth({
        database: createMemoryStorage(),
        baseUrl: ORIGIN,
        pages: { signIn: "/login" },
        providers: [credentials({
          credentials: { pin: { label: "PIN", type: "password", required: true } },
          authorize: () => Promise.resolve(null),
        })],
        events: { "sign-in-failed": ({ address = null }) => void seen.push(address) },
        logger: {
          info() {},
          error() {},
          warn: (event) => /^(?:proxy|client)-/.test(event) && void seen.push(event),
        },
      });
      const app = createApp();
      nuxtAuth(auth, { createError })({ h3App: app, hooks: { hook() {} } });
      const server = createServer(toNodeListener(app));
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      const headers = { ...WRONG.headers, "host": "localhost", "x-forwarded-for": claimed! };
      const path = "/auth/signin/credentials";
      const status = await new Promise((resolve, reject) => {
        askServer(
          { socketPath, path, method: "POST", headers },
          (response) => resolve(response.resume().statusCode),
        ).once("error", reject).end(WRONG.body);
      });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      assert.equal(status, 401);
      assert.deepEqual(new Set(seen), new Set([address, ...warning ? [warning] : []]), claimed!);
    }
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
    await Deno.remove(folder, { recursive: true });
  }
});

// Tracks: R190
Deno.test("a request of the server to itself, made for another site, is that site's whatever it says of itself", async () => {
  const lie = { origin: ORIGIN, host: "localhost", "sec-fetch-site": "same-origin" };
  const answers: number[] = [];
  await serving((localFetch) => async ({ path, node: { req } }) => {
    if (path !== "/page") return "written";
    const { cookie = "" } = req.headers;
    for (const headers of [{}, { cookie }, { cookie, ...lie }] as HeadersInit[]) {
      for (const to of ["/auth/signout", "/write"]) {
        answers.push((await localFetch(to, { method: "POST", headers })).status);
      }
    }
    return "";
  }, async ({ ask, addresses }) => {
    for (const site of ["cross-site", "same-site"]) {
      const headers = { "sec-fetch-site": site, cookie: "framework.session-token=x" };
      await (await ask("/page", { headers })).text();
    }
    assert.deepEqual(answers, Array(12).fill(403));
    assert.deepEqual(addresses, Array(12).fill("refused"));
  });
});

Deno.test("cookies of a request of the server to itself reach the browser when it is the visitor's", async () => {
  await serving((localFetch) => async ({ path, node: { req } }) => {
    if (path === "/in") return (await startSession("ada")).user.name;
    const { cookie } = req.headers;
    const sent = path === "/visitor" && cookie ? { headers: { cookie } } : {};
    const inner = await localFetch("/in", sent);
    assert.equal(inner.headers.getSetCookie().length, 1);
    return await inner.text();
  }, async ({ ask }) => {
    const begun = await ask("/in");
    const headers = { cookie: cookieOf(begun) };
    // Without cookies it may be the server's own business, also where the visitor has none.
    for (const init of [{}, { headers }]) {
      const nobodys = await ask("/nobody", init);
      assert.equal(await nobodys.text(), "Ada");
      assert.equal(cookieOf(nobodys), "");
    }
    const visitors = await ask("/visitor", { headers });
    assert.equal(await visitors.text(), "Ada");
    assert.notEqual(cookieOf(visitors), "");
    assert.notEqual(cookieOf(visitors), headers.cookie);
    assert.equal(visitors.headers.get("cache-control"), "no-store");
  });
});

Deno.test("a page about somebody whom only a request within asked for is kept by no cache, unless it is for everybody", async () => {
  await serving((localFetch) => async ({ path, context, node: { req } }) => {
    if (path === "/in") return (await startSession("ada")).user.name;
    if (path === "/me") return getUser()?.name ?? "nobody";
    if (path === "/plain") return "plain";
    if (path === "/cached") context.cache = {};
    const { cookie } = req.headers;
    const inner = await localFetch(
      path === "/" ? "/plain" : path === "/session" ? "/auth/session" : "/me",
      {
        headers: cookie ? { cookie } : {},
      },
    );
    return await inner.text();
  }, async ({ ask }) => {
    const cookie = cookieOf(await ask("/in"));
    for (const headers of [{}, { cookie }]) {
      for (const path of ["/page", "/session"]) {
        const page = await ask(path, { headers });
        assert.equal(page.headers.get("cache-control"), "no-store", path);
        assert.equal(page.headers.get("vary"), "Cookie");
      }
      for (const path of ["/", "/cached"]) {
        assert.equal((await ask(path, { headers })).headers.get("vary"), null);
      }
    }
  });
});

Deno.test("a session that is renewed on the way into an error reaches the browser", async () => {
  let now = Date.UTC(2026, 0, 1);
  await serving(() => async ({ path }) => {
    if (path === "/in") return (await startSession("ada")).user.name;
    if (path === "/own") throw createError({ status: 409 });
    return requireRole("admin");
  }, async ({ ask }) => {
    const begun = await ask("/in");
    const headers = { cookie: cookieOf(begun) };
    for (const [path, status] of [["/admin", 403], ["/own", 409]] as const) {
      now += 2 * 86_400_000;
      const refused = await ask(path, { headers });
      assert.equal(refused.status, status);
      assert.equal(refused.headers.getSetCookie().length, 1, path);
      assert.equal(refused.headers.get("cache-control"), "no-store");
    }
  }, { now: () => now });
});

Deno.test("what is kept for everybody knows nobody, and the request around it still does", async () => {
  await serving((localFetch) => async (event) => {
    const { path, context, node: { req } } = event;
    if (path === "/in") return (await startSession("ada")).user.name;
    if (path === "/cached") {
      // As Nitro's defineCachedEventHandler() does.
      context.cache = { options: {} };
      assert.throws(() => getUser(), { code: "OUTSIDE_REQUEST" });
      return [context.user, context.session, context.cache];
    }
    const inner = await localFetch("/cached", { headers: { cookie: req.headers.cookie! } });
    return { inner: await inner.json(), user: getUser()?.name, own: context.user.name };
  }, async ({ ask }) => {
    const begun = await ask("/in");
    const response = await ask("/", { headers: { cookie: cookieOf(begun) } });
    const inner = [null, null, { options: {} }];
    assert.deepEqual(await response.json(), { inner, user: "Ada", own: "Ada" });
  });
});

// Tracks: R190
Deno.test("on workers options are made from bindings, and the address is the platform's, also of requests within", async () => {
  const platform = Object.getOwnPropertyDescriptor(navigator, "userAgent");
  Object.defineProperty(navigator, "userAgent", {
    value: "Cloudflare-Workers",
    configurable: true,
  });
  const seen: unknown[] = [];
  const auth = createAuth(({ baseUrl }: { baseUrl: string }) => ({
    database: createMemoryStorage(),
    baseUrl,
    pages: { signIn: "/login" },
    rateLimit: false,
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: () => Promise.resolve(null),
    })],
    events: { "sign-in-failed": ({ address }) => void seen.push(address) },
  }));
  try {
    const app = createApp();
    nuxtAuth(auth, { createError })({ h3App: app, hooks: { hook() {} } });
    const node = toNodeListener(app);
    const fetchLocal = (path: string, init: object) =>
      fetchNodeRequestHandler(node as never, path, init);
    app.use(eventHandler(async ({ path }) => {
      if (path === "/account") return requireAuth().name;
      const headers = { ...WRONG.headers, "cf-connecting-ip": "198.51.100.7" };
      return (await fetchLocal("/auth/signin/credentials", { ...WRONG, headers })).text();
    }));
    // As Nitro hands on what a worker is asked.
    const work: Promise<unknown>[] = [];
    const context = {
      _platform: { cloudflare: { env: { baseUrl: ORIGIN } } },
      waitUntil: (promise: Promise<unknown>) => void work.push(promise),
    };
    const headers = { "cf-connecting-ip": "203.0.113.5" };
    const account = await fetchLocal("/account", { context, headers });
    assert.equal(account.headers.get("location"), `${ORIGIN}/login?callbackUrl=%2Faccount`);
    await fetchLocal("/", { context, headers });
    // The request of Nuxt for its error page, which is made around it all.
    Reflect.set(globalThis, "__env__", { baseUrl: "https://error.example" });
    const error = await fetchLocal("/account", {});
    assert.match(error.headers.get("location")!, /^https:\/\/error\.example\/login/);
    await Promise.all(work);
    assert.deepEqual(seen, ["203.0.113.5"]);
    assert.ok(work.length > 0);
  } finally {
    Reflect.deleteProperty(globalThis, "__env__");
    if (platform === undefined) Reflect.deleteProperty(navigator, "userAgent");
    else Object.defineProperty(navigator, "userAgent", platform);
  }
});

// Tracks: R071, R168, A-22
Deno.test("nuxtAuth() answers the handshake of a WebSocket: for its site, for another one, and for what is no request", async () => {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const auth = createAuth({ database, baseUrl: ORIGIN, pages: { signIn: "/login" } });
  const { cookies } = await issueSession(auth, "ada", {});
  const asked: unknown[] = [];
  const websocket: { resolve(asked: NuxtHandshake): NuxtSocketHooks | Promise<NuxtSocketHooks> } = {
    resolve: () => ({
      upgrade() {
        asked.push(requireAuth({ throwError: true }).id);
        return { context: { own: true } };
      },
    }),
  };
  const h3App = { handler() {}, websocket };
  nuxtAuth(auth, { createError })({ h3App, hooks: { hook() {} } });
  async function shake(url: string, given: HeadersInit = {}, more = {}): Promise<unknown> {
    const host = /^http:\/\/(.*)\//.exec(url)?.[1] ?? "app.example";
    const headers = new Headers({ upgrade: "websocket", host, ...given as Record<string, string> });
    const handshake = { url, headers, ...more };
    const answer = await (await websocket.resolve(handshake)).upgrade!(handshake);
    return answer instanceof Response ? answer.status : answer;
  }
  const cookie = cookies[0]!.split(";", 1)[0]!;
  assert.deepEqual(await shake(`${ORIGIN}/chat`, { cookie, origin: ORIGIN }), {
    context: { own: true },
  });
  assert.equal(await shake(`${ORIGIN}/chat`, { origin: ORIGIN }), 401);
  for (const origin of ["https://evil.example", "null", "http://app.example"]) {
    assert.equal(await shake(`${ORIGIN}/chat`, { cookie, origin }), 403, origin);
  }
  const _req = { rawHeaders: Array(2000).fill("a"), socket: { remoteAddress: "192.0.2.1" } };
  assert.equal(await shake(`${ORIGIN}/chat`, { cookie, origin: ORIGIN }, { _req }), 431);
  // As crossws makes them of the Host.
  for (
    const url of ["http://user@app.example/chat", "http://a b/chat", "http://x:99999/chat", "/"]
  ) {
    assert.equal(await shake(url, { cookie, origin: ORIGIN }), 400, url);
  }
  assert.deepEqual(asked, ["ada"]);
});
