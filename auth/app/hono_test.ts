import { Hono } from "hono";
import { cors } from "hono/cors";
import { upgradeWebSocket } from "hono/deno";
import { secureHeaders } from "hono/secure-headers";
import assert from "node:assert/strict";
import process from "node:process";
import { ConfigurationError } from "../errors.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { getUser, requireAuth, requireRole, startSession } from "../session/operations.ts";
import { sendHandshake } from "../../tests/support/raw_http.ts";
import { openWebSocket } from "../../tests/support/web_socket.ts";
import { defaultTheme } from "../sign_in/pages.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { asWorker } from "../tests/as_worker.ts";
import { createAuth } from "./create_auth.ts";
import { honoAuth } from "./hono.ts";

const ORIGIN = "http://localhost";

function place() {
  const seen: unknown[] = [];
  const auth = createAuth((env: unknown) => {
    seen.push(env);
    return { database: createMemoryStorage(), pages: { signIn: "/login" } };
  });
  const app = new Hono();
  app.use(honoAuth(auth));
  app.get("/", (c) => c.text(getUser()?.id ?? "nobody"));
  app.get("/own", (c) => c.text(requireAuth().id));
  app.get("/boom", () => {
    throw new TypeError("boom");
  });
  return { app, seen };
}

/** Errors that were printed meanwhile. */
async function printed(work: () => unknown): Promise<unknown[]> {
  const target = globalThis.console;
  const { error } = target;
  const lines: unknown[] = [];
  target.error = (...given) => void lines.push(...given);
  try {
    await work();
  } finally {
    target.error = error;
  }
  return lines;
}

// Tracks: A-11
Deno.test("honoAuth() answers what requireAuth() throws, and Hono prints nothing of it", async () => {
  const { app } = place();
  const lines = await printed(async () => {
    const response = await app.request(`${ORIGIN}/own`);
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), `${ORIGIN}/login?callbackUrl=%2Fown`);
    assert.equal(response.headers.get("x-auth-error"), null);
    assert.equal(await (await app.request(`${ORIGIN}/`)).text(), "nobody");
    assert.deepEqual(await (await app.request(`${ORIGIN}/auth/session`)).json(), null);
    assert.equal((await app.request(`${ORIGIN}/nowhere`)).status, 404);
  });
  assert.deepEqual(lines, []);
  const [boom] = await printed(async () => {
    assert.equal((await app.request(`${ORIGIN}/boom`)).status, 500);
  });
  assert.match(String(boom), /boom/);
});

Deno.test("honoAuth() says of a host that is not allowed that it is not, whatever a guard throws there", async () => {
  const auth = createAuth({
    database: createMemoryStorage(),
    allowedHosts: ["app.example"],
    cookies: { sessionToken: { hostOnly: true } },
    rbac: defineRBAC({ roles: [] }),
    pages: { theme: defaultTheme },
    logger: { info() {}, warn() {}, error() {} },
  });
  const app = new Hono();
  app.use(honoAuth(auth));
  app.get("/throw", (c) => c.json(requireAuth({ throwError: true })));
  app.get("/lead", (c) => c.json(requireAuth()));
  app.get("/role", (c) => c.json(requireRole("admin")));
  for (const path of ["/throw", "/lead", "/role"]) {
    const ask = (host: string) =>
      app.request(`https://${host}${path}`, { headers: { accept: "text/html" } });
    const refused = await ask("other.example");
    assert.equal(refused.status, 421, path);
    assert.match(await refused.text(), /host/i);
    assert.equal(refused.headers.get("x-auth-error"), null);
    assert.ok([303, 401].includes((await ask("app.example")).status), path);
  }
});

Deno.test("honoAuth() leaves an error to the onError() of the application, which may throw it on", async () => {
  const { app } = place();
  app.onError((error, c) => c.text(`own: ${error.name}`, 418));
  const own = await app.request(`${ORIGIN}/own`);
  assert.deepEqual([own.status, await own.text()], [418, "own: RedirectError"]);
  const { app: other } = place();
  other.onError((error) => {
    throw error;
  });
  assert.equal((await other.request(`${ORIGIN}/own`)).status, 303);
});

// Tracks: R109
Deno.test("honoAuth() looks on workers at no binding, whatever its name is", () =>
  asWorker(async () => {
    const app = new Hono();
    app.use(honoAuth(createAuth({ database: createMemoryStorage(), baseUrl: ORIGIN })));
    app.get("/", (context) => context.text("here"));
    // As a service binding is, which makes a call of every name, and a promise of every call.
    const incoming: unknown = new Proxy(() => Promise.resolve(), { get: () => incoming });
    const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
    const response = await app.fetch(new Request(ORIGIN), { incoming }, context);
    assert.equal(await response.text(), "here");
  }));

Deno.test("honoAuth() keeps the cookies and headers of a handler", async () => {
  const storage = createMemoryStorage();
  await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at: Date.now() });
  const app = new Hono();
  app.use(honoAuth(createAuth({ database: storage })));
  app.post("/in", async (c) => {
    c.header("x-own", "1");
    c.header("set-cookie", "own=1", { append: true });
    await startSession("ada");
    return c.text("in");
  });
  const response = await app.request(`${ORIGIN}/in`, { method: "POST" });
  assert.equal(response.headers.get("x-own"), "1");
  const cookies = response.headers.getSetCookie().map((line) => line.split("=")[0]);
  assert.deepEqual(cookies.sort(), ["framework.session-token", "own"]);
});

Deno.test("honoAuth() keeps what middleware in front of it sets, before next() and after, with CORS", async () => {
  const page = "https://page.example";
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: Date.now() });
  const auth = createAuth({
    database,
    trustedOrigins: [page],
    pages: { theme: defaultTheme },
  });
  const app = new Hono();
  app.use(
    secureHeaders(),
    cors({ origin: page, credentials: true, exposeHeaders: ["Retry-After"] }),
    async (c, next) => {
      c.header("x-before", "1");
      c.header("cache-control", "public, max-age=60");
      c.header("content-security-policy", "default-src *");
      c.header("set-cookie", "before=1", { append: true });
      c.header("set-cookie", "other=1", { append: true });
      await next();
      c.header("x-after", "1");
    },
  );
  app.use(honoAuth(auth));
  app.get("/own", (c) => c.json(requireAuth({ throwError: true })));
  app.get("/raw", () => new Response("raw"));
  app.get("/in", async (c) => {
    await startSession("ada");
    return c.text("in");
  });
  const from = { origin: page, accept: "application/json" };
  for (
    const [path, status] of [
      ["/auth/session", 200],
      ["/auth/nothing", 404],
      ["/auth/error", 200],
      ["/own", 401],
      ["/raw", 200],
      ["/in", 200],
    ] as const
  ) {
    const accept = path === "/auth/error" ? "text/html" : from.accept;
    const { status: given, headers } = await app.request(ORIGIN + path, {
      headers: { ...from, accept },
    });
    const names = headers.getSetCookie().map((line) => line.split("=")[0]);
    assert.equal(given, status, path);
    assert.equal(headers.get("access-control-allow-origin"), page, path);
    assert.equal(headers.get("access-control-allow-credentials"), "true", path);
    assert.equal(headers.get("access-control-expose-headers"), "Retry-After", path);
    assert.equal(headers.get("x-frame-options"), "SAMEORIGIN", path);
    assert.equal(headers.get("x-before"), "1", path);
    assert.equal(headers.get("x-after"), "1", path);
    assert.equal(headers.get("x-auth-error"), null, path);
    assert.match(headers.get("vary") ?? "", /\bOrigin\b/, path);
    const own = path === "/in" ? ["framework.session-token"] : [];
    assert.deepEqual(names.sort(), ["before", ...own, "other"], path);
    if (path === "/raw") continue;
    assert.equal(headers.get("cache-control"), "no-store", path);
    assert.match(headers.get("vary") ?? "", /\bCookie\b/, path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.equal(policy.startsWith("default-src 'none'"), path === "/auth/error", policy);
  }
  const preflight = await app.request(`${ORIGIN}/auth/session`, {
    method: "OPTIONS",
    headers: { origin: page, "access-control-request-method": "POST" },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), page);
});

// Tracks: R168
Deno.test("honoAuth() takes the address from the server, and the environment from the process or a test", async () => {
  const failures: unknown[] = [];
  const options = {
    database: createMemoryStorage(),
    events: { "sign-out": ({ address }: { address?: string | null }) => failures.push(address) },
  };
  const { app, seen } = place();
  await app.request(`${ORIGIN}/`);
  await app.request(`${ORIGIN}/`, {}, { incoming: { socket: { remoteAddress: "192.0.2.7" } } });
  await app.request(`${ORIGIN}/`, {}, { remoteAddr: { hostname: "192.0.2.8" } });
  assert.equal(seen.length, 1); // the variables of the process
  assert.equal(seen[0], process.env);
  const bindings = { DB: {} };
  await app.request(`${ORIGIN}/`, {}, bindings);
  assert.equal(seen[1], bindings);

  const storage = options.database;
  await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at: Date.now() });
  const other = new Hono();
  other.use(honoAuth(createAuth(options)));
  other.post("/in", async (c) => {
    await startSession("ada");
    return c.text("in");
  });
  const hosts = [
    { incoming: { socket: { remoteAddress: "192.0.2.7" } } },
    { remoteAddr: { hostname: "192.0.2.8" } },
    { requestIP: () => ({ address: "192.0.2.9" }) },
  ];
  for (const host of hosts) {
    const signedIn = await other.request(`${ORIGIN}/in`, { method: "POST" }, host);
    const [cookie] = signedIn.headers.getSetCookie().map((line) => line.split(";")[0]!);
    const headers = { origin: ORIGIN, cookie: cookie!, "x-forwarded-for": "203.0.113.1" };
    await other.request(`${ORIGIN}/auth/signout`, { method: "POST", headers }, host);
  }
  assert.deepEqual(failures, ["192.0.2.7", "192.0.2.8", "192.0.2.9"]);
});

// Tracks: A-05
Deno.test("honoAuth() refuses a request of Node whose headers fill what its server keeps of them", async () => {
  const { app } = place();
  for (
    const [count, maxHeadersCount, status] of [
      [999, null, 200],
      [1000, null, 431],
      [5000, 0, 200],
      [50, 50, 431],
    ] as const
  ) {
    const socket = { remoteAddress: "192.0.2.7", server: { maxHeadersCount } };
    const incoming = { socket, rawHeaders: Array(2 * count).fill("a") };
    const response = await app.request(`${ORIGIN}/`, {}, { incoming });
    assert.equal(response.status, status, `${count} of ${maxHeadersCount}`);
  }
});

Deno.test("honoAuth() in production says at the start what is missing, with the line to write", () => {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    const database = createMemoryStorage();
    assert.throws(() => honoAuth(createAuth({ database })), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, /write baseUrl: "https:\/\/app\.example" into createAuth\(\)/);
      return true;
    });
    honoAuth(createAuth({ database, baseUrl: "https://app.example" }));
    honoAuth(createAuth({ database, allowedHosts: ["app.example"] }));
    assert.throws(() => honoAuth(createAuth(() => ({}))), /No session storage is configured/);
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  honoAuth(createAuth({ database: createMemoryStorage() }));
  honoAuth(createAuth(() => ({})));
});

// Tracks: R071, R190
Deno.test("honoAuth() knows the session of a WebSocket of Hono, and refuses those of other sites", async () => {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const app = new Hono();
  app.use(honoAuth(createAuth({ database, pages: { signIn: "/login" } })));
  app.get("/in", async (c) => c.text((await startSession("ada")).user.id));
  app.get(
    "/socket",
    upgradeWebSocket(() => {
      const { name } = requireAuth({ throwError: true });
      return { onOpen: (_event, socket) => socket.send(`Hello ${name}`) };
    }),
  );
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const origin = `http://localhost:${server.addr.port}`;
  try {
    const begun = await fetch(`${origin}/in`);
    await begun.body?.cancel();
    const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
    const socket = openWebSocket(`ws://localhost:${server.addr.port}/socket`, { cookie, origin });
    const closed = new Promise((resolve) => socket.onclose = resolve);
    const said = await new Promise((resolve) => {
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = (event) => resolve((event as ErrorEvent).message);
    });
    assert.equal(said, "Hello Ada");
    socket.close();
    await closed;
    assert.equal((await sendHandshake(`${origin}/socket`, origin)).status, 401);
    const forged = await sendHandshake(`${origin}/socket`, "https://evil.example", cookie);
    assert.equal(forged.status, 403, forged.text);
  } finally {
    await server.shutdown();
  }
});
