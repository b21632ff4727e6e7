// What holds in every entry: what a guard throws is answered, and neither an address that headers claim nor a Host is believed.
import { createApp, createError, eventHandler, toNodeListener } from "h3";
import { Hono } from "hono";
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, request as askServer, type Server } from "node:http";
import { trustPlatform } from "../core/client_address.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { requireAuth, requirePermission } from "../session/operations.ts";
import { setUserRoles } from "../session/users.ts";
import type { Auth } from "../session/context_auth.ts";
import { credentials } from "../sign_in/credentials.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { astroAuth } from "./astro.ts";
import { createAuth } from "./create_auth.ts";
import { honoAuth } from "./hono.ts";
import { nextAuth } from "./next.ts";
import { nodeAuth } from "./node.ts";
import { nuxtAuth } from "./nuxt.ts";
import type { AuthOptions } from "./options.ts";
import { reactRouterAuth } from "./react_router.ts";
import { svelteKitAuth } from "./sveltekit.ts";

const ORIGIN = "https://app.example";
const PEER = "192.0.2.7";
const LOCAL = "127.0.0.1";

/** An application behind an entry, whose every page is for users. */
interface Entry {
  /** Address of the connection; null where the framework tells none. */
  peer: string | null;
  /** True where forms of other sites are the application's to refuse. Default: false. */
  takesForms?: boolean;
  /** Serves it while a test asks. */
  serve(auth: Auth<unknown>, work: (ask: Ask) => Promise<void>): Promise<void>;
}

type Ask = (request: Request) => Promise<Response>;

/** Text of a page: that of an editor's work takes a permission. */
function textOf(request: { url?: string | undefined }): string {
  if (request.url?.endsWith("/editor")) requirePermission("posts:delete");
  return requireAuth().id;
}

const page = (request: Request) => new Response(textOf(request));

/** An entry that takes requests of the web platform. */
function direct(peer: string | null, open: (auth: Auth<unknown>) => Ask): Entry {
  return { peer, serve: (auth, work) => work(open(auth)) };
}

/** An entry that is served by Node. */
function served(open: (auth: Auth<unknown>) => Server): Entry {
  return {
    peer: LOCAL,
    async serve(auth, work) {
      const server = open(auth);
      await new Promise<void>((resolve) => server.listen(0, LOCAL, resolve));
      const { port } = server.address() as { port: number };
      try {
        await work(async (request) => {
          const { pathname, host: own } = new URL(request.url);
          const { method } = request;
          const sent = { host: own, ...Object.fromEntries(request.headers) };
          const body = await request.text();
          const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
            askServer({ port, host: LOCAL, path: pathname, method, headers: sent }, resolve)
              .once("error", reject).end(body);
          });
          const chunks = await Array.fromAsync(incoming);
          const headers = new Headers();
          for (const [name, value] of Object.entries(incoming.headersDistinct)) {
            for (const line of value ?? []) headers.append(name, line);
          }
          return new Response(chunks.join(""), { status: incoming.statusCode!, headers });
        });
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function cookiesIn(headers: Headers) {
  const pairs = headers.get("cookie")?.split("; ") ?? [];
  return pairs.map((pair) => pair.split("=", 2) as [string, string])
    .map(([name, value]) => ({ name, value }));
}

const entries: Record<string, Entry> = {
  "auth.fetch": {
    ...direct(
      PEER,
      (auth) => (request) =>
        auth.fetch(request, {}, { clientAddress: PEER, next: () => page(request) }),
    ),
    takesForms: true,
  },
  "honoAuth": {
    takesForms: true,
    ...direct(PEER, (auth) => {
      const app = new Hono();
      app.use(honoAuth(auth));
      app.all("*", (c) => page(c.req.raw));
      return async (request) =>
        await app.request(request, undefined, { incoming: { socket: { remoteAddress: PEER } } });
    }),
  },
  "svelteKitAuth": direct(PEER, (auth) => {
    const never = (): never => assert.fail("an error of the library is none of SvelteKit's here");
    const { handle } = svelteKitAuth(auth, { building: false, error: never, redirect: never });
    return (request) => {
      const url = new URL(request.url);
      const event = { request, url, isDataRequest: false, getClientAddress: () => PEER };
      return handle({ event, resolve: () => page(request) });
    };
  }),
  "astroAuth": direct(PEER, (auth) => {
    const { onRequest } = astroAuth(auth);
    return (request) =>
      onRequest(
        { request, clientAddress: PEER, isPrerendered: false, locals: {} },
        async () => await page(request),
      );
  }),
  "reactRouterAuth": direct(null, (auth) => {
    const { middleware } = reactRouterAuth(auth);
    return (request) =>
      middleware({ request, context: undefined }, async () => await page(request));
  }),
  "reactRouterAuth with an address": direct(PEER, (auth) => {
    const { middleware } = reactRouterAuth(auth, { clientAddress: () => PEER });
    return (request) =>
      middleware({ request, context: undefined }, async () => await page(request));
  }),
  "nextAuth": direct(null, (auth) => {
    let headers = new Headers();
    const { handlers, route } = nextAuth(auth, {
      headers: () => Promise.resolve(headers),
      cookies: () => Promise.resolve({ getAll: () => cookiesIn(headers), set() {} }),
      redirect: (location) => assert.fail(location),
    });
    const pages = route(page);
    return (request) => {
      headers = request.headers;
      const isOwn = new URL(request.url).pathname.startsWith("/auth/");
      return isOwn ? handlers.POST(request) : pages(request, {});
    };
  }),
  "nodeAuth": {
    ...served((auth) =>
      createServer(nodeAuth(auth, (request, response) => void response.end(textOf(request))))
    ),
    takesForms: true,
  },
  "nuxtAuth": served((auth) => {
    const app = createApp();
    nuxtAuth(auth, { createError })({ h3App: app, hooks: { hook() {} } });
    app.use(eventHandler(({ node }) => textOf(node.req)));
    return createServer(toNodeListener(app));
  }),
};

/** An application that tells which addresses wrong sign-ins came from, and what was warned of. */
function place(options: Partial<AuthOptions> = {}) {
  const addresses: unknown[] = [];
  const warnings: string[] = [];
  const auth = createAuth({
    database: createMemoryStorage(),
    baseUrl: ORIGIN,
    pages: { signIn: "/login" },
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
    })],
    events: { "sign-in-failed": ({ address = null }) => void addresses.push(address) },
    logger: {
      info() {},
      error() {},
      warn(event, { advice }) {
        if (event === "proxy-not-trusted") assert.match(String(advice), /set trustedProxies/);
        if (/^(?:proxy|client)-/.test(event)) warnings.push(event);
      },
    },
    ...options,
  });
  return { auth, addresses, warnings };
}

function wrong(headers: Record<string, string>, at: string = ORIGIN, pin: string = "0"): Request {
  return new Request(`${at}/auth/signin/credentials`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ pin }),
  });
}

const LIES = ["x-forwarded-for", "x-real-ip", "x-vercel-forwarded-for", "cf-connecting-ip"]
  .map((name): Record<string, string> => ({ [name]: "203.0.113.1" }))
  .concat({ forwarded: "for=203.0.113.1" });

const FORMS = [
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/plain; application/json",
  null,
];

const FORGED: Record<string, string>[] = [
  { "origin": "https://evil.example" },
  { "origin": "https://evil.example", "sec-fetch-site": "cross-site" },
  { "origin": "http://app.example" },
  { "origin": "null" },
  { "origin": ORIGIN, "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "none" },
  { "origin": "https://evil.example", "x-forwarded-host": "evil.example" },
  {},
];

for (const [name, { peer, takesForms = false, serve }] of Object.entries(entries)) {
  // Tracks: R071, A-21
  Deno.test(`${name}: a form of another site ${takesForms ? "is the application's to refuse" : "reaches no page and no endpoint"}`, async () => {
    const { auth } = place();
    await serve(auth, async (ask) => {
      const signedIn = await ask(wrong({}, ORIGIN, "1234"));
      const [cookie] = signedIn.headers.getSetCookie().map((line) => line.split(";", 1)[0]!);
      async function send(own: Record<string, string>, type: string | null): Promise<number> {
        const headers = new Headers({ ...own, cookie: cookie! });
        if (type !== null) headers.set("content-type", type);
        const body = type === null ? null : new TextEncoder().encode("name=Ada");
        const response = await ask(
          new Request(`${ORIGIN}/orders`, { method: "POST", headers, body }),
        );
        await response.body?.cancel();
        return response.status;
      }
      for (const type of FORMS) {
        for (const forged of FORGED) {
          const status = await send(forged, type);
          assert.equal(status, takesForms ? 200 : 403, `${type} ${JSON.stringify(forged)}`);
        }
        const own = { "origin": ORIGIN, "sec-fetch-site": "same-origin" };
        assert.equal(await send(own, type), 200);
      }
      // Another site needs the application's leave for it, which it asks for first (CORS).
      assert.equal(await send({ origin: "https://evil.example" }, "application/json"), 200);
    });
  });

  // Tracks: R168, R147
  Deno.test(`${name}: an address that a header claims is not believed, and warned of once`, async () => {
    const { auth, addresses, warnings } = place();
    await serve(auth, async (ask) => {
      assert.equal((await ask(wrong({}))).status, 401);
      assert.deepEqual(warnings, peer === null ? ["client-address-unknown"] : []);
      warnings.length = 0;
      for (const lie of [...LIES, ...LIES]) assert.equal((await ask(wrong(lie))).status, 401);
    });
    assert.deepEqual(addresses, Array(11).fill(peer));
    const told = peer === null ? Array(10).fill("client-address-unknown") : ["proxy-not-trusted"];
    assert.deepEqual(warnings, told);
  });

  // Tracks: R168
  Deno.test(`${name}: the platform that was named tells the client's address`, async () => {
    const { auth, addresses, warnings } = place({ trustedProxies: trustPlatform("vercel") });
    const lies = { "x-forwarded-for": "203.0.113.1", "x-real-ip": "203.0.113.1" };
    await serve(auth, async (ask) => {
      await ask(wrong({ ...lies, "x-vercel-forwarded-for": "198.51.100.4" }));
      assert.deepEqual([addresses, warnings], [["198.51.100.4"], []]);
      await ask(wrong(lies));
    });
    assert.equal(addresses[1], peer);
  });

  // Tracks: R071, R168
  Deno.test(`${name}: the own origin is baseUrl, whatever the Host and the proxies say`, async () => {
    const { auth } = place();
    const evil = "http://evil.example";
    const host = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" };
    await serve(auth, async (ask) => {
      assert.equal((await ask(wrong({ origin: evil, ...host }, evil))).status, 403);
      assert.equal((await ask(wrong({ origin: ORIGIN, ...host }, evil))).status, 401);
      const asked = await ask(new Request(`${evil}/orders`, { headers: host }));
      assert.equal(asked.status, 303);
      const login = `${ORIGIN}/login?callbackUrl=%2Forders`;
      assert.equal(asked.headers.get("location"), login);
    });
  });

  // Tracks: A-11
  Deno.test(`${name}: a page for a permission is answered with 401 and 403`, async () => {
    const rbac = defineRBAC({
      roles: [{ id: "editor", name: "Editor", permissions: ["posts:delete"] }],
    });
    const { auth } = place({ rbac });
    const editor = (cookie = "") => new Request(`${ORIGIN}/editor`, { headers: { cookie } });
    await serve(auth, async (ask) => {
      assert.equal((await ask(editor())).status, 401);
      const signedIn = await ask(wrong({}, ORIGIN, "1234"));
      const [cookie] = signedIn.headers.getSetCookie().map((line) => line.split(";", 1)[0]!);
      const refused = await ask(editor(cookie));
      assert.equal(refused.status, 403);
      assert.match(refused.headers.get("cache-control")!, /no-store/);
      await auth.run(new Request(ORIGIN), {}, {}, async () => {
        await setUserRoles("ada", { roles: ["editor"] });
        return new Response();
      });
      const allowed = await ask(editor(cookie));
      assert.deepEqual([allowed.status, await allowed.text()], [200, "ada"]);
    });
  });
}
