import assert from "node:assert/strict";
import process from "node:process";
import { trustPlatform } from "../core/client_address.ts";
import { ConfigurationError, HeadersSentError } from "../errors.ts";
import { hasRole, requireAuth, requireRole, startSession } from "../session/operations.ts";
import { deviceBound } from "../sign_in/device_bound/provider.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createAuth } from "./create_auth.ts";
import { nextAuth } from "./next.ts";
import type { AuthOptions } from "./options.ts";

const ORIGIN = "https://app.example";

/** Signals by which Next.js leaves the rendering. */
class Interrupt extends Error {}

/** One request of Next.js: its headers, and a store of cookies that is sealed in server components. */
function place(options: Partial<AuthOptions> = {}) {
  const storage = createMemoryStorage();
  const addresses: unknown[] = [];
  const later: Promise<unknown>[] = [];
  const auth = createAuth({
    database: storage,
    baseUrl: ORIGIN,
    cookies: { sessionToken: { hostOnly: true } },
    pages: { signIn: "/login" },
    events: { "sign-out": ({ address }) => void addresses.push(address) },
    ...options,
  });
  let [sent, sealed] = [new Headers(), true];
  let cookies = new Map<string, string>();
  let jar = {};
  const set: [string, string, Record<string, unknown>][] = [];
  /** The browser's next request. */
  function open(
    own: Record<string, string> = {},
    { component = true, handler = false } = {},
  ): void {
    const headers = component || handler ? own : { "next-action": "0123", ...own };
    // As Next.js reads them: of two cookies with one name the last.
    const pairs = (headers.cookie ?? "").split(/; */).filter((pair) => pair !== "");
    cookies = new Map(pairs.map((pair) => pair.split("=", 2) as [string, string]));
    sealed = component;
    [sent, jar] = [new Headers({ host: "evil.example", ...headers }), store()];
  }
  function store() {
    const isSealed = sealed;
    return {
      getAll: () => [...cookies].map(([name, value]) => ({ name, value })),
      set(given: string | { name: string }, value: string, how: Record<string, unknown>) {
        if (isSealed) throw new Error("Cookies can only be modified in a Server Action");
        const name = typeof given === "string" ? given : given.name;
        set.push([name, value, how]);
        if (how.maxAge === 0) cookies.delete(name);
        else cookies.set(name, value);
      },
    };
  }
  const interrupt = (text: string): never => {
    throw new Interrupt(text);
  };
  open();
  const next = nextAuth(auth, {
    headers: () => Promise.resolve(sent),
    cookies: () => Promise.resolve(jar),
    redirect: interrupt,
    forbidden: () => interrupt("403"),
    after: (work) => void later.push(work),
    unauthorized: () => interrupt("401"),
  });
  return { auth, storage, next, open, set, addresses, later };
}

async function withAda(world: ReturnType<typeof place>): Promise<string> {
  const user = { id: "ada", name: "Ada" };
  await world.storage.createUser({ user, emailIdentity: null, at: Date.now() });
  world.open({}, { component: false });
  await world.next.startSession("ada");
  return world.set.map(([name, value]) => `${name}=${value}`).join("; ");
}

// Tracks: R083
Deno.test("nextAuth() begins and ends sessions in an action, whose page then knows it", async () => {
  const world = place();
  const { next, open, set } = world;
  const cookie = await withAda(world);
  const [[name, , how]] = set as [typeof set[0]];
  assert.equal(name, "__Host-framework.session-token");
  const { maxAge, ...rest } = how;
  assert.ok(Number(maxAge) > 0);
  assert.deepEqual(rest, { path: "/", sameSite: "lax", httpOnly: true, secure: true });
  assert.equal((await next.getUser())?.name, "Ada");
  assert.equal((await next.requireAuth()).id, "ada");
  open({ cookie }, { component: false });
  set.length = 0;
  await next.endSession();
  assert.equal(await next.getUser(), null);
  assert.equal(set.every(([, value, { maxAge }]) => value === "" && maxAge === 0), true);
  assert.ok(set.some(([gone]) => gone === name));
  open({ cookie });
  assert.equal(await next.isAuthenticated(), false);
});

// Tracks: R083
Deno.test("nextAuth() changes nothing in a server component, and names the place for what would", async () => {
  let now = Date.now();
  const world = place({ now: () => now, session: { strategy: "database", updateAge: 60 } });
  const { next, open, set, storage } = world;
  const cookie = await withAda(world);
  now += 3_600_000; // long enough for a renewal
  set.length = 0;
  open({ cookie });
  const before = JSON.stringify(await next.getSession());
  const told = /Server Action \("use server"\) or a Route Handler/;
  for (const work of [() => next.endSession(), () => next.startSession("ada")]) {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof HeadersSentError);
      assert.match(error.message, told);
      return true;
    });
  }
  assert.equal((await storage.listSessions("ada", { now, limit: 9 })).length, 1);
  open({ cookie });
  assert.equal(JSON.stringify(await next.getSession()), before);
  // A cookie that opens nothing stays as well.
  open({ cookie: "__Host-framework.session-token=nothing" });
  assert.equal(await next.getUser(), null);
  assert.deepEqual(set, []);
});

Deno.test("nextAuth() believes neither of two cookies with one name, of which Next.js tells the last", async () => {
  const world = place();
  const { next, open } = world;
  const cookie = await withAda(world);
  for (
    const planted of ["__Host-framework.session-token=planted", "__Host-framework.session-token =x"]
  ) {
    open({ cookie: `${planted}; ${cookie}` });
    assert.equal(await next.getUser(), null);
  }
  open({ cookie: `other=%F0%9F%8D%AA; other=2; ${cookie}` });
  assert.equal((await next.getUser())?.id, "ada");
});

// Tracks: R044, CVE-2025-48947
Deno.test("nextAuth() answers nothing about anybody in a route handler that is not wrapped, whose response caches may store", async () => {
  const { next, open, ...world } = place();
  const cookie = await withAda({ next, open, ...world });
  const handler = { component: false, handler: true };
  const operations = [
    () => next.getUser(),
    () => next.startSession("ada"),
    () => next.run(() => 1),
  ];
  for (const headers of [{}, { cookie }, { cookie, "content-type": "application/json" }]) {
    for (const operation of operations) {
      open(headers as Record<string, string>, handler);
      await assert.rejects(operation(), {
        code: "CONFIGURATION",
        message: /accounts\.route\(\(\) => …\)/,
      });
    }
  }
  open({ cookie }, handler);
  const wrapped = next.route(async () => new Response((await next.getUser())?.name));
  const answer = await wrapped(new Request(`${ORIGIN}/api`), {});
  assert.equal(await answer.text(), "Ada");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  // The form of an action that is sent without a script.
  open({ cookie, "content-type": "multipart/form-data; boundary=x" }, handler);
  assert.equal((await next.getUser())?.name, "Ada");
});

// Tracks: R044, CVE-2025-48947, A-23
Deno.test("nextAuth() gives a cookie of a route handler to a response that no cache stores, whatever the handler says", async () => {
  const world = place();
  const { next, open, set } = world;
  const cookie = await withAda(world);
  const handler = { component: false, handler: true };
  const shared = { "cache-control": "public, max-age=600", "cdn-cache-control": "max-age=600" };
  const begins = next.route(async (request) => {
    const path = new URL(request.url).pathname;
    if (path !== "/out") await startSession("ada");
    if (path === "/nested") await next.endSession();
    if (path === "/away") throw new Interrupt("redirect() of Next.js");
    if (path === "/refused") requireRole("admin");
    const headers = new Headers(shared);
    headers.append("set-cookie", "own=1");
    return new Response("begun", { headers });
  });
  const names = (response: Response) =>
    response.headers.getSetCookie().map((line) => line.split("=", 1)[0]);
  const session = "__Host-framework.session-token";
  async function ask(path: string, sent: Record<string, string> = {}): Promise<Response> {
    open(sent, handler);
    set.length = 0;
    return await begins(new Request(ORIGIN + path, { headers: sent }), {});
  }

  for (const sent of [{}, { cookie }] as Record<string, string>[]) {
    const begun = await ask("/", sent);
    assert.deepEqual([begun.status, names(begun)], [200, ["own", session]]);
    const { headers } = begun;
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("cdn-cache-control"), null);
    assert.match(headers.get("vary")!, /Cookie/);
    assert.match(headers.get("clear-site-data")!, /prefetchCache/);
    assert.deepEqual(set, []);
  }
  // A session that another operation of the same handler ends.
  const nested = await ask("/nested");
  assert.match(nested.headers.getSetCookie().join(), /session-token=; .*Max-Age=0/);
  // What is refused keeps the cookie, and what Next.js answers has it from its own store.
  const refused = await ask("/refused");
  assert.deepEqual([refused.status, names(refused)], [403, [session]]);
  assert.equal(refused.headers.get("cache-control"), "no-store");
  await assert.rejects(ask("/away"), Interrupt);
  assert.deepEqual(set.map(([name]) => name), [session]);
  // Nobody's response is the application's own.
  const own = await ask("/out");
  assert.deepEqual(names(own), ["own"]);
  assert.equal(own.headers.get("cdn-cache-control"), "max-age=600");
  // A browser that asks ahead of a visit is to ask again.
  const ahead = await ask("/", { "sec-purpose": "prefetch" });
  assert.deepEqual([ahead.status, names(ahead)], [503, []]);
});

Deno.test("nextAuth() offers a browser to bind the session that a route handler begins", async () => {
  const world = place({ session: { deviceBound: deviceBound({ sendMail() {} }) } });
  await withAda(world);
  world.open({}, { component: false, handler: true });
  const begins = world.next.route(async () => {
    await startSession("ada");
    return new Response();
  });
  const begun = await begins(new Request(ORIGIN), {});
  const offer = begun.headers.get("secure-session-registration") ?? "";
  assert.match(offer, /^\(ES256\);path="\/auth\/device\/start";challenge="[^"]+"$/);
});

// Tracks: R168
Deno.test("nextAuth() leads visitors to sign in and back, by baseUrl and never by Host", async () => {
  const { next, open } = place();
  const callback = (path: string) => `${ORIGIN}/login?callbackUrl=${encodeURIComponent(path)}`;
  const location = (work: () => Promise<unknown>) =>
    work().then(() => null, (error) => error instanceof Interrupt ? error.message : String(error));
  assert.equal(await location(() => next.requireAuth()), callback("/"));
  const returnTo = "/orders?page=2";
  assert.equal(await location(() => next.requireAuth({ returnTo })), callback(returnTo));
  assert.equal(await location(() => next.requireRecentAuth({ returnTo })), callback(returnTo));
  const away = await location(() => next.requireAuth({ returnTo: "https://evil.example//x" }));
  assert.ok(away?.startsWith(`${ORIGIN}/login`) && !away.includes("evil"), String(away));
  // In an action: the page with its form.
  open({ "content-type": "multipart/form-data; boundary=x", "referer": `${ORIGIN}/cart?a=1` });
  assert.equal(await location(() => next.requireAuth()), callback("/cart?a=1"));
  open({ "content-type": "text/plain", "referer": "https://evil.example/cart" });
  assert.equal(await location(() => next.requireAuth()), `${ORIGIN}/login`);
  assert.equal(await location(() => next.requireRole("admin")), "401");
  assert.equal(await location(() => next.run(() => hasRole("admin"))), null);

  const page = new Request("https://localhost:3000/orders?page=2", {
    headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
  });
  const sent = await next.proxy(page);
  assert.deepEqual([sent?.status, sent?.headers.get("location")], [303, callback(returnTo)]);
});

Deno.test("nextAuth() hands to after() what goes on behind the answer", async () => {
  const told: string[] = [];
  const world = place({
    events: {
      async "sign-in"({ userId }) {
        await Promise.resolve();
        told.push(userId);
      },
    },
  });
  await withAda(world);
  assert.ok(world.later.length > 0);
  await Promise.all(world.later);
  assert.deepEqual(told, ["ada"]);
});

Deno.test("nextAuth() answers 403 to who may not, and in a route handler itself", async () => {
  const world = place();
  const { next, open } = world;
  const cookie = await withAda(world);
  open({ cookie });
  await assert.rejects(next.requirePermission("posts:delete"), /^Error: 403$/);
  const request = new Request(`${ORIGIN}/orders`, { headers: { cookie } });
  assert.equal(await next.proxy(request), undefined);
  // A form of another site, with the user's cookies; and one of the own page.
  for (const [origin, status] of [["https://evil.example", 403], [ORIGIN, undefined]] as const) {
    const headers = { cookie, origin };
    const form = new Request(request, { method: "POST", headers, body: new FormData() });
    assert.equal((await next.proxy(form))?.status, status);
  }
  const admins = next.route(async (_request, { name }: { name: string }) => {
    await Promise.resolve();
    requireRole(name);
    return new Response();
  });
  const refused = await admins(request, { name: "admin" });
  assert.deepEqual([refused.status, refused.headers.get("cache-control")], [403, "no-store"]);
  const users = next.route(() => new Response(requireAuth().name));
  const own = await users(request, {});
  assert.deepEqual([await own.text(), own.headers.get("cache-control")], ["Ada", "no-store"]);
  open();
  const visitor = await users(request, {});
  const callback = `${ORIGIN}/login?callbackUrl=%2Forders`;
  assert.deepEqual([visitor.status, visitor.headers.get("location")], [303, callback]);
  const wrong = next.route(() => {
    throw new Interrupt("of the application");
  });
  await assert.rejects(wrong(request, {}), Interrupt);
  assert.equal((await next.handlers.GET(new Request(`${ORIGIN}/elsewhere`))).status, 404);
});

// Tracks: R168
Deno.test("nextAuth() takes the client's address from the named platform or header alone", async () => {
  const lies = {
    "x-forwarded-for": "203.0.113.1",
    "forwarded": "for=203.0.113.1",
    "x-real-ip": "203.0.113.1",
    "x-vercel-forwarded-for": "192.0.2.7, 10.0.0.1",
    "cf-connecting-ip": "203.0.113.1",
  };
  const cases: [Partial<AuthOptions>, string | undefined][] = [
    [{}, undefined],
    [{ trustedProxies: trustPlatform("vercel") }, "192.0.2.7"],
    [{ trustedProxies: trustPlatform({ header: "x-real-ip" }) }, "203.0.113.1"],
  ];
  for (const [options, expected] of cases) {
    const world = place(options);
    const cookie = await withAda(world);
    world.open({ cookie, ...lies }, { component: false });
    await world.next.endSession();
    assert.deepEqual(world.addresses, [expected]);
  }
});

Deno.test("nextAuth() in production refuses to serve without baseUrl, and warns once that nobody tells addresses", async () => {
  const before = process.env.NODE_ENV;
  const { warn } = globalThis.console;
  const told: unknown[] = [];
  globalThis.console.warn = (...given) => void told.push(...given);
  process.env.NODE_ENV = "production";
  try {
    const { next } = place({ baseUrl: undefined as never, allowedHosts: ["app.example"] });
    for (const work of [() => next.getUser(), () => next.handlers.GET(new Request(ORIGIN))]) {
      await assert.rejects(work, (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.match(error.message, /write baseUrl: "https:\/\/app\.example" into createAuth\(\)/);
        return true;
      });
    }
    const named = place({ trustedProxies: trustPlatform("vercel") });
    await named.next.getUser();
    assert.deepEqual(told, []);
    const unnamed = place();
    await unnamed.next.getUser();
    await unnamed.next.getUser();
    assert.equal(told.length, 1);
    assert.match(
      String(told),
      /for each account alone .* write trustedProxies: trustPlatform\("vercel"\) into createAuth/,
    );
  } finally {
    globalThis.console.warn = warn;
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
});

Deno.test("nextAuth() removes the cookie of a domain, of whose two lines Next.js takes the last", async () => {
  const world = place({ cookies: { sessionToken: { options: { domain: "app.example" } } } });
  const cookie = await withAda(world);
  const [name] = world.set[0]!;
  world.open({ cookie }, { component: false });
  world.set.length = 0;
  await world.next.endSession();
  const gone = world.set.filter(([removed]) => removed === name);
  assert.deepEqual(gone.map(([, , { domain, maxAge }]) => [domain, maxAge]), [["app.example", 0]]);
});
