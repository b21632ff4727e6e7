import assert from "node:assert/strict";
import process from "node:process";
import { ConfigurationError } from "../errors.ts";
import { endSession, getUser, requireRecentAuth, startSession } from "../session/operations.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { asWorker } from "../tests/as_worker.ts";
import { createAuth } from "./create_auth.ts";
import { svelteKitAuth, type SvelteKitEvent } from "./sveltekit.ts";

const ORIGIN = "http://localhost";

/** What SvelteKit throws to leave a `load` function. */
class Left extends Error {
  constructor(readonly status: number, message: string, readonly external: string[] = []) {
    super(message);
  }
}

const KIT = {
  building: false,
  error(status: number, message: string): never {
    throw new Left(status, message);
  },
  redirect(status: number, location: string, options?: { external: string[] }): never {
    throw new Left(status, location, options?.external);
  },
};

async function place({ building = false } = {}) {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const addresses: unknown[] = [];
  const auth = createAuth({
    database,
    pages: { signIn: "/login" },
    events: { "sign-out": ({ address }) => void addresses.push(address) },
  });
  return { addresses, ...svelteKitAuth(auth, { ...KIT, building }) };
}

function eventOf(path: string, init: RequestInit = {}, data = ""): SvelteKitEvent {
  return {
    request: new Request(`${ORIGIN}${path}${data}`, init),
    url: new URL(path, ORIGIN),
    isDataRequest: data !== "",
    getClientAddress: () => "192.0.2.7",
  };
}

Deno.test("svelteKitAuth() throws SvelteKit's own redirect and errors, at once and by promises", async () => {
  const { handle, guard, requireAuth, requireRole, requirePermission } = await place();
  const login = `${ORIGIN}/login?callbackUrl=%2Forders%3Fpage%3D2`;
  for (const data of ["", "__data.json"]) {
    const response = await handle({
      event: eventOf("/orders?page=2", {}, data),
      async resolve() {
        assert.throws(() => requireAuth(), new Left(303, login, [ORIGIN]));
        assert.throws(() => requireRole("admin"), { status: 401 });
        await startSession("ada");
        assert.equal(requireAuth().name, "Ada");
        assert.throws(() => requireRole("admin"), { status: 403 });
        assert.throws(() => requirePermission("posts:delete"), { status: 403 });
        assert.equal(guard(() => requireRecentAuth()).id, "ada");
        await assert.rejects(guard(() => startSession("nobody")), { status: 403 });
        await assert.rejects(guard(() => Promise.reject(new TypeError("own"))), TypeError);
        return new Response();
      },
    });
    assert.equal(response.status, 200);
  }
});

// Tracks: A-05
Deno.test("svelteKitAuth() refuses a request of Node whose headers fill what its server keeps of them", async () => {
  const { handle } = await place();
  for (const [count, status] of [[999, 200], [1000, 431]] as const) {
    const req = { socket: {}, rawHeaders: Array(2 * count).fill("a") };
    const event = { ...eventOf("/"), platform: { req } };
    const response = await handle({ event, resolve: () => Promise.resolve(new Response()) });
    assert.equal(response.status, status);
  }
});

Deno.test("svelteKitAuth() leads a form that SvelteKit's script sends to the sign-in, which that follows", async () => {
  const { handle, requireAuth, requireRecentAuth } = await place();
  const headers = {
    accept: "application/json",
    "x-sveltekit-action": "true",
    origin: ORIGIN,
  };
  for (const method of ["POST", "DELETE"]) {
    await handle({
      event: eventOf("/orders", { method, headers }),
      resolve() {
        for (const require of [requireAuth, requireRecentAuth]) {
          assert.throws(() => require(), { status: 303 });
          assert.throws(() => require({ throwError: true }), { status: 401 });
        }
        return new Response();
      },
    });
  }
});

// Tracks: R168
Deno.test("svelteKitAuth() takes the client's address from SvelteKit's adapter and from no header", async () => {
  const { handle, addresses } = await place();
  const resolve = async () => {
    await startSession("ada");
    await endSession();
    return new Response();
  };
  const lies = { "x-forwarded-for": "203.0.113.1", "x-real-ip": "203.0.113.1" };
  await handle({ event: eventOf("/", { headers: lies }), resolve });
  assert.deepEqual(addresses, ["192.0.2.7"]);
});

Deno.test("svelteKitAuth() serves /auth, gives responses their cookies, and knows nobody while pages are built", async () => {
  const { handle } = await place();
  const nothing = () => new Response(null, { status: 404 });
  const session = await handle({ event: eventOf("/auth/session"), resolve: nothing });
  assert.equal(await session.json(), null);
  const signedIn = await handle({
    event: eventOf("/in", { method: "POST", headers: { origin: ORIGIN } }),
    resolve: async () => Response.json((await startSession("ada")).user.id),
  });
  const [cookie = ""] = signedIn.headers.getSetCookie().map((line) => line.split(";")[0]);
  const page = await handle({
    event: eventOf("/", { headers: { cookie } }),
    resolve: () => new Response(getUser()?.name),
  });
  assert.deepEqual([await page.text(), page.headers.get("cache-control")], ["Ada", "no-store"]);
  const { handle: build } = await place({ building: true });
  const made = await build({ event: eventOf("/auth/session"), resolve: nothing });
  assert.equal(made.status, 404);
});

Deno.test("svelteKitAuth() in production asks for baseUrl when it starts, not while it is built", () => {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    const auth = createAuth({ database: createMemoryStorage() });
    assert.throws(() => svelteKitAuth(auth, KIT), ConfigurationError);
    svelteKitAuth(auth, { ...KIT, building: true });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
});

// Tracks: R071
Deno.test("svelteKitAuth() refuses forms of other sites, in development as in production", async () => {
  const { handle } = await place();
  const types = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
  ];
  let calls = 0;
  for (const [origin, status] of [["https://evil.example", 403], [ORIGIN, 200]] as const) {
    for (const type of types) {
      const headers = { origin, "content-type": type };
      const event = eventOf("/orders", { method: "POST", headers, body: "a=1" });
      const resolve = () => new Response(String(++calls));
      assert.equal((await handle({ event, resolve })).status, status, type);
    }
  }
  assert.equal(calls, types.length);
});

// Tracks: R168, R190
Deno.test("svelteKitAuth() on Cloudflare takes the bindings, the address and waitUntil of the platform", async () => {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  const addresses: unknown[] = [];
  const auth = createAuth(({ BASE_URL }: { BASE_URL: string }) => ({
    database,
    baseUrl: BASE_URL,
    pages: { signIn: "/login" },
    events: { "sign-out": ({ address }) => void addresses.push(address) },
  }));
  const bindings = { BASE_URL: "https://app.example" };
  await asWorker(async () => {
    const { handle, requireAuth } = svelteKitAuth(auth, KIT);
    // `context` is what it is called before SvelteKit 2.
    for (const name of ["ctx", "context"]) {
      const work: Promise<unknown>[] = [];
      const waitUntil = (promise: Promise<unknown>) => void work.push(promise);
      const headers = { "cf-connecting-ip": "203.0.113.5", "x-forwarded-for": "203.0.113.9" };
      await handle({
        event: {
          ...eventOf("/orders", { headers }),
          platform: { env: bindings, [name]: { waitUntil } },
          getClientAddress: () => assert.fail("workers get the address from their platform"),
        },
        async resolve() {
          const login = "https://app.example/login?callbackUrl=%2Forders";
          assert.throws(() => requireAuth(), new Left(303, login, [bindings.BASE_URL]));
          await startSession("ada");
          await endSession();
          return new Response();
        },
      });
      assert.ok(work.length > 0, name);
      await Promise.all(work);
    }
  });
  assert.deepEqual(addresses, ["203.0.113.5", "203.0.113.5"]);
});

// Tracks: R044, CVE-2025-48947
Deno.test("svelteKitAuth() has no cache keep a refusal, whatever setHeaders() said of the page", async () => {
  const { handle, requireAuth, requireRole } = await place();
  function guest(): string {
    try {
      return requireAuth({ throwError: true }).id;
    } catch {
      return "guest";
    }
  }
  const shared = { "cache-control": "public, max-age=600", "cdn-cache-control": "max-age=600" };
  const pages: Record<string, () => unknown> = {
    "/to": () => requireAuth(),
    "/throw": () => requireAuth({ throwError: true }),
    "/role": () => requireRole("admin"),
    // Refused, and shown all the same: it is not the same for everybody.
    "/guest": guest,
    "/everybody": () => null,
  };
  for (const [path, work] of Object.entries(pages)) {
    for (const data of ["", "/__data.json"]) {
      const response = await handle({
        event: eventOf(path, {}, data),
        // As SvelteKit does it: the headers of the page go out with what a load function has thrown, too.
        resolve() {
          try {
            work();
            return new Response("page", { headers: shared });
          } catch (left) {
            return new Response(null, { status: (left as Left).status, headers: shared });
          }
        },
      });
      const said = ["cache-control", "cdn-cache-control"].map((name) => response.headers.get(name));
      const expected = path === "/everybody" ? Object.values(shared) : ["no-store", null];
      assert.deepEqual(said, expected, path + data);
    }
  }
});
