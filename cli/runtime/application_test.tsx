import { credentials, getUser, requireAuth } from "@framework/auth";
import {
  defineAuthCallbacks,
  defineAuthConfig,
  defineAuthEvents,
  defineProvider,
  defineRBAC,
} from "@framework/auth/convention";
import { authMiddleware } from "@framework/auth/middleware";
import { createMemoryStorage } from "@framework/auth/storage";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { AppManifest, ManifestModule, ManifestRoute } from "./manifest.ts";
import { data, notFound, redirect } from "./results.ts";
import type { ActionArgs, LayoutProps, LoaderArgs, PageProps, RequestContext } from "./types.ts";

type Module = Record<string, unknown>;

const silent = { info: () => {}, warn: () => {}, error: () => {} };

function route(pattern: string, module: Module, more: Partial<ManifestRoute> = {}): ManifestRoute {
  return {
    kind: "route",
    pattern,
    file: `app${pattern}/route.ts`,
    module,
    layouts: [],
    middleware: [],
    ...more,
  };
}

function page(pattern: string, module: Module, more: Partial<ManifestRoute> = {}): ManifestRoute {
  return { ...route(pattern, module, more), kind: "page", file: `app${pattern}/page.tsx` };
}

function layout(module: Module): ManifestModule {
  return { file: "app/layout.tsx", module };
}

function middleware(run: unknown): ManifestModule {
  return { file: "app/middleware.ts", module: { middleware: run } };
}

interface TestApp {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  errors: { error: unknown; requestId: string }[];
  auth: ReturnType<typeof createApplication>["auth"];
  env: Record<string, unknown>;
}

function start(routes: ManifestRoute[], more: Partial<AppManifest> = {}): TestApp {
  const errors: TestApp["errors"] = [];
  const { worker, auth } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes,
    ...more,
  }, {
    onError: (error, { requestId }) => errors.push({ error, requestId }),
    logger: silent,
  });
  const env = { DB: createMemoryStorage() };
  return {
    errors,
    auth,
    env,
    fetch: (path, init) => worker.fetch(new Request(new URL(path, "http://localhost"), init), env),
  };
}

const sameOrigin = { origin: "http://localhost" };
const form = { ...sameOrigin, "content-type": "application/x-www-form-urlencoded" };

const withAuth: Partial<AppManifest> = {
  auth: {
    config: defineAuthConfig({ pages: { signIn: "/login" } }),
    providers: {
      credentials: defineProvider(credentials({
        credentials: { pin: { label: "PIN", type: "password", required: true } },
        authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
      })),
    },
  },
};

async function signIn(app: TestApp): Promise<Record<string, string>> {
  const response = await app.fetch("/auth/signin/credentials", {
    method: "POST",
    headers: form,
    body: "pin=1234",
  });
  assert.equal(response.status, 303);
  return { cookie: response.headers.getSetCookie()[0]!.split(";")[0]! };
}

Deno.test("createApplication() renders a page inside its layouts with what the loaders returned", async () => {
  const app = start([
    page("/users/:id", {
      loader: ({ params }: LoaderArgs) => Promise.resolve({ name: `User ${params["id"]}` }),
      default: async ({ data, searchParams }: PageProps) => {
        await Promise.resolve();
        return <p>{data.name} {searchParams["tab"]} {"<b>"}</p>;
      },
      metadata: ({ data }: { data: { name: string } }) => ({ title: data.name }),
    }, {
      layouts: [
        layout({
          metadata: { title: "Site", description: "All of it" },
          default: ({ children }: LayoutProps): JSX.Element => (
            <html>
              <head></head>
              <body>{children}</body>
            </html>
          ),
        }),
        layout({
          loader: () => ({ menu: "Menu" }),
          default: ({ children, data }: LayoutProps): JSX.Element => (
            <main>{data.menu}: {children}</main>
          ),
        }),
      ],
    }),
  ]);
  const response = await app.fetch("/users/7?tab=a&tab=b");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(
    await response.text(),
    '<!DOCTYPE html><html><head><title>User 7</title><meta name="description" content="All of it"/></head>' +
      "<body><main>Menu: <p>User 7 ab &lt;b&gt;</p></main></body></html>",
  );
});

// Tracks: R045, PF-x17
Deno.test("createApplication() shows the same page to all for an unknown path, whoever is signed in", async () => {
  const app = start([route("/me", { GET: () => Response.json(getUser()) })], {
    ...withAuth,
    errorPages: [{
      kind: "not-found",
      layouts: [],
      file: "app/not-found.tsx",
      module: { default: () => <p>nothing for {getUser()?.id ?? "nobody"}</p> },
    }],
  });
  const cookie = await signIn(app);
  assert.equal((await (await app.fetch("/me", { headers: cookie })).json()).id, "ada");
  for (const headers of [cookie, { ...cookie, authorization: "Bearer x" }, {}]) {
    const unknown = await app.fetch("/nothing", { headers: { ...headers, accept: "text/html" } });
    assert.equal(unknown.status, 404);
    assert.match(await unknown.text(), /<p>nothing for nobody<\/p>/);
    assert.deepEqual(unknown.headers.getSetCookie(), []);
  }
});

// Tracks: R083, GHSA-x732-6j76-qmhm, PF-x27
Deno.test("createApplication() takes the client's address from the platform and from no other header", async () => {
  const heard: (string | undefined)[] = [];
  const { auth } = withAuth;
  const app = start([], {
    auth: {
      ...auth!,
      events: defineAuthEvents({ "sign-in-failed": ({ address }) => void heard.push(address) }),
    },
  });
  const names = [
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "x-client-ip",
    "true-client-ip",
    "fastly-client-ip",
    "x-cluster-client-ip",
    "x-original-forwarded-for",
    "cf-connecting-ipv6",
    "cf-pseudo-ipv4",
    "remote-addr",
    "via",
  ];
  for (const platform of ["192.0.2.1", null]) {
    for (const name of ["accept", ...names]) {
      const value = name === "forwarded" ? "for=203.0.113.9" : "203.0.113.9";
      await app.fetch("/auth/signin/credentials", {
        method: "POST",
        headers: { ...form, [name]: value, ...(platform && { "cf-connecting-ip": platform }) },
        body: "pin=wrong",
      });
    }
    const expected = Array(names.length + 1).fill(platform ?? undefined);
    assert.deepEqual(heard.splice(0), expected);
  }
});

Deno.test("createApplication() answers with the Response that a loader returns or throws", async () => {
  const app = start([
    page("/returns", { loader: () => redirect("/there"), default: () => null }),
    page("/throws", {
      loader: () => {
        throw new Response("teapot", { status: 418 });
      },
      default: () => null,
    }),
  ]);
  const returned = await app.fetch("/returns");
  assert.deepEqual([returned.status, returned.headers.get("location")], [303, "/there"]);
  assert.equal((await app.fetch("/throws")).status, 418);
});

const signUp = page("/signup", {
  loader: ({ request }: LoaderArgs) => ({ method: request.method }),
  action: async ({ request }: ActionArgs) => {
    const name = (await request.formData()).get("name");
    if (name === "ada") return redirect("/welcome");
    return data({ problem: `No ${name}` }, { status: 422, headers: { "x-problem": "name" } });
  },
  default: ({ data, actionData }: {
    data: { method: string };
    actionData?: { problem: string };
  }) => <p>{data.method} {actionData?.problem ?? "none"}</p>,
});

Deno.test("createApplication() runs a page's action, and renders the page again with its result", async () => {
  const app = start([signUp]);
  const init = { method: "POST", headers: form };
  const again = await app.fetch("/signup", { ...init, body: "name=bob" });
  assert.equal(again.status, 422);
  assert.equal(again.headers.get("x-problem"), "name");
  assert.match(await again.text(), /<p>GET No bob<\/p>/);
  const done = await app.fetch("/signup", { ...init, body: "name=ada" });
  assert.deepEqual([done.status, done.headers.get("location")], [303, "/welcome"]);
  assert.match(await (await app.fetch("/signup")).text(), /<p>GET none<\/p>/);
});

for (
  const [what, headers] of [
    ["another origin", { origin: "http://evil.example" }],
    ["an opaque origin", { origin: "null" }],
    ["no origin at all", {}],
    ["a site on the same host", { origin: "http://localhost:1" }],
    ["its own origin that the browser calls cross-site", {
      ...sameOrigin,
      "sec-fetch-site": "cross-site",
    }],
  ] as const
) {
  // Tracks: R071
  Deno.test(`createApplication() refuses a form post from ${what}`, async () => {
    let ran = false;
    const act = (): null => {
      ran = true;
      return null;
    };
    const app = start([
      page("/page", { action: act, default: () => null }),
      route("/api", { POST: act, DELETE: act }),
    ]);
    for (
      const [path, method] of [["/page", "POST"], ["/api", "POST"], ["/api", "DELETE"]] as const
    ) {
      const response = await app.fetch(path, {
        method,
        headers: { "content-type": "text/plain", ...headers },
        body: "x",
      });
      assert.equal(response.status, 403);
    }
    assert.equal(ran, false);
  });
}

// Tracks: R071
Deno.test("createApplication() opens a WebSocket for its own pages and for programs, not for another site's page", async () => {
  let opened = 0;
  const app = start([route("/live", { GET: () => data({ opened: ++opened }) })]);
  const rows: [Record<string, string>, number][] = [
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "http://sub.localhost" }, 403],
    [{ origin: "null" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [sameOrigin, 200],
    [{}, 200],
  ];
  for (const [headers, status] of rows) {
    const response = await app.fetch("/live", { headers: { upgrade: "WebSocket", ...headers } });
    assert.equal(response.status, status, JSON.stringify(headers));
  }
  assert.equal(opened, 2);
});

// Tracks: R071
Deno.test("createApplication() takes form posts from trusted origins, and by the configured own address", async () => {
  const heard: unknown[] = [];
  const app = start([route("/api", { POST: () => data("done") })], {
    auth: {
      config: defineAuthConfig({
        baseUrl: "https://app.example",
        trustedOrigins: ["https://admin.example"],
      }),
      events: defineAuthEvents({
        "origin-refused": ({ path, origin, address }) => heard.push([path, origin, address]),
      }),
      providers: {},
    },
  });
  const rows: [string, number][] = [
    ["https://app.example", 200],
    ["https://admin.example", 200],
    ["https://evil.example", 403],
    // The address by which the request came is not the application's own.
    ["http://localhost", 403],
  ];
  for (const [origin, status] of rows) {
    const headers = { origin, "content-type": "text/plain", "cf-connecting-ip": "192.0.2.1" };
    assert.equal((await app.fetch("/api", { method: "POST", headers })).status, status, origin);
  }
  assert.deepEqual(heard, [
    ["/api", "https://evil.example", "192.0.2.1"],
    ["/api", "http://localhost", "192.0.2.1"],
  ]);
});

Deno.test("createApplication() follows the callbacks, events and roles of app/auth", async () => {
  const heard: string[] = [];
  const guard = authMiddleware({ permission: "posts:write" });
  const may = ({ context }: LoaderArgs) => context.auth.hasPermission("posts:read");
  const app = start([
    page("/may", { loader: may, default: ({ data }: { data: boolean }) => <p>{String(data)}</p> }),
    route("/write", { GET: () => data("written") }, { middleware: [middleware(guard)] }),
  ], {
    auth: {
      ...withAuth.auth!,
      callbacks: defineAuthCallbacks({ redirect: () => "/may" }),
      events: defineAuthEvents({ "sign-in": ({ userId }) => void heard.push(userId) }),
      rbac: defineRBAC({
        roles: [{ id: "reader", name: "Reader", permissions: ["posts:read"] }],
        defaultRole: "reader",
      }),
    },
  });
  const signedIn = await app.fetch("/auth/signin/credentials", {
    method: "POST",
    headers: form,
    body: "pin=1234",
  });
  assert.equal(signedIn.headers.get("location"), "http://localhost/may");
  assert.deepEqual(heard, ["ada"]);
  const headers = { cookie: signedIn.headers.getSetCookie()[0]!.split(";")[0]! };
  assert.match(await (await app.fetch("/may", { headers })).text(), /true/);
  assert.match(await (await app.fetch("/may")).text(), /false/);
  assert.equal((await app.fetch("/write", { headers })).status, 403);
});

Deno.test("createApplication() answers a route with its Response, or with its value as JSON", async () => {
  const app = start([
    route("/a", {
      GET: (_request: Request, { params }: RequestContext) => ({ params }),
      POST: () => data({ id: 1 }, { status: 201 }),
      PUT: () => new Response("own", { status: 202 }),
      DELETE: () => undefined,
    }),
  ]);
  assert.deepEqual(await (await app.fetch("/a")).json(), { params: {} });
  const send = (method: string): Promise<Response> =>
    app.fetch("/a", { method, headers: sameOrigin });
  const created = await send("POST");
  assert.deepEqual([created.status, await created.json()], [201, { id: 1 }]);
  assert.equal(await (await send("PUT")).text(), "own");
  assert.equal((await send("DELETE")).status, 204);
});

Deno.test("createApplication() refuses a route's result that JSON cannot hold, and names the file", async () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const results: [name: string, result: unknown, reason: RegExp][] = [
    ["a function", () => 1, /Function/],
    ["a symbol", Symbol("a"), /Symbol/],
    ["a map", new Map([["a", 1]]), /Map/],
    ["a set in data()", data(new Set([1])), /Set/],
    ["a stream", new Response("a").body, /ReadableStream/],
    ["a bigint", 1n, /BigInt/],
    ["a bigint inside", { a: 1n }, /BigInt/],
    ["a cycle", cycle, /circular/],
  ];
  for (const [name, result, reason] of results) {
    const app = start([route("/api/x", { GET: () => result })]);
    const response = await app.fetch("/api/x");
    assert.equal(response.status, 500, name);
    const error = app.errors[0]!.error as TypeError;
    assert.match(error.message, /^GET of app\/api\/x\/route\.ts returned what JSON cannot hold\./);
    assert.match((error.cause as Error).message, reason, name);
  }
});

Deno.test("createApplication() answers HEAD from GET without a body, and OPTIONS with Allow", async () => {
  const app = start([
    route("/a", { GET: () => new Response("body", { headers: { "x-a": "1" } }) }),
    page("/p", { default: () => <p>p</p> }),
  ]);
  for (const path of ["/a", "/p"]) {
    const head = await app.fetch(path, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    const options = await app.fetch(path, { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
  }
  assert.equal((await app.fetch("/a", { method: "HEAD" })).headers.get("x-a"), "1");
});

Deno.test("createApplication() answers 404 for an unknown path and 405 with Allow for an unknown method", async () => {
  const app = start([route("/a", { GET: () => 1 }), page("/p", { default: () => null })]);
  assert.equal((await app.fetch("/nothing")).status, 404);
  const api = await app.fetch("/a", { method: "POST", headers: sameOrigin });
  assert.deepEqual([api.status, api.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  assert.equal((await api.json()).code, "METHOD_NOT_ALLOWED");
  const html = await app.fetch("/p", { method: "POST", headers: sameOrigin });
  assert.equal(html.status, 405);
  assert.match(html.headers.get("content-type")!, /text\/html/);
});

Deno.test("createApplication() lets an API route win over a page's catch-all", async () => {
  const app = start([
    route("/api/me", { GET: () => "me" }),
    page("/:all*", {
      default: ({ params }: { params: { all: string[] } }) => params.all.join("|"),
    }),
  ]);
  assert.equal(await (await app.fetch("/api/me")).json(), "me");
  assert.match(await (await app.fetch("/api/you")).text(), /api\|you/);
});

Deno.test("createApplication() gives a page one address", async () => {
  const app = start([page("/users", { default: () => null })]);
  const response = await app.fetch("/users/?a=1");
  assert.equal(response.status, 308);
  assert.equal(response.headers.get("location"), "http://localhost/users?a=1");
});

// Tracks: R077
Deno.test("createApplication() never redirects to another host for a path that looks like one", async () => {
  const app = start([page("/:all*", { default: () => null })]);
  for (const path of ["//evil.example/", "//evil.example/x//", "/\\\\evil.example/"]) {
    const response = await app.fetch(`http://localhost${path}`);
    assert.equal(response.status, 308);
    assert.equal(new URL(response.headers.get("location")!).host, "localhost");
  }
});

Deno.test("createApplication() answers notFound() with 404 in the form that was asked for", async () => {
  const app = start([
    page("/p", { loader: () => notFound(), default: () => null }),
    route("/a", { GET: () => notFound() }),
  ]);
  const html = await app.fetch("/p");
  assert.equal(html.status, 404);
  assert.match(await html.text(), /Not found/);
  const json = await app.fetch("/a");
  assert.deepEqual([json.status, await json.json()], [404, {
    code: "NOT_FOUND",
    message: "Not found",
  }]);
  assert.equal(app.errors.length, 0);
});

for (const kind of ["loader", "component", "handler", "middleware"]) {
  // Tracks: R151
  Deno.test(`createApplication() tells nothing of an unexpected error in a ${kind} but its request id`, async () => {
    const fail = (): never => {
      throw new Error("secret /srv/app.ts", { cause: new Error("inner secret") });
    };
    const app = start([
      {
        loader: page("/", { loader: fail, default: () => null }),
        component: page("/", { default: fail }),
        handler: route("/", { GET: fail }),
        middleware: route("/", { GET: () => 1 }, { middleware: [middleware(fail)] }),
      }[kind]!,
    ]);
    const response = await app.fetch("/", { headers: { accept: "application/json" } });
    const text = await response.text();
    assert.equal(response.status, 500);
    assert.doesNotMatch(text, /secret|srv|at /);
    assert.equal(app.errors.length, 1);
    assert.equal(JSON.parse(text).requestId, app.errors[0]!.requestId);
    assert.match(String(app.errors[0]!.error), /secret/);
  });
}

Deno.test("createApplication() shows the error with its causes in development", async () => {
  const app = start([route("/", {
    GET: () => {
      throw new Error("<outer>", { cause: new Error("inner") });
    },
  })], { dev: true });
  const text = await (await app.fetch("/", { headers: { accept: "text/html" } })).text();
  assert.match(text, /&#60;outer&#62;[\s\S]*Caused by: Error: inner/);
});

Deno.test("createApplication() answers an error as JSON with the same headers in development", async () => {
  const broken = route("/", {
    GET: () => {
      throw new Error("broken");
    },
  });
  const headersOf = async (dev: boolean): Promise<Record<string, string>> => {
    // As axios asks.
    const accept = "application/json, text/plain, */*";
    const { headers } = await start([broken], { dev }).fetch("/", { headers: { accept } });
    assert.match(headers.get("content-type")!, /^application\/json/);
    return Object.fromEntries(headers);
  };
  const { "x-framework-error": stack, ...headers } = await headersOf(true);
  assert.match(decodeURIComponent(stack!), /^Error: broken/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.deepEqual(headers, await headersOf(false));
});

Deno.test("createApplication() runs middleware once for each request, outer to inner, around errors too", async () => {
  const trace: string[] = [];
  const traced = (name: string) =>
    middleware(
      async (_request: Request, next: () => Promise<Response>, context: RequestContext) => {
        context.set(name, true);
        trace.push(name);
        const response = await next();
        trace.push(`${name} ${response.status}`);
        return response;
      },
    );
  const app = start([
    route("/", {
      GET: (_request: Request, context: RequestContext) => {
        trace.push(`handler ${context.get("outer")} ${context.get("inner")}`);
        return notFound();
      },
    }, { middleware: [traced("outer"), traced("inner")] }),
  ]);
  assert.equal((await app.fetch("/")).status, 404);
  assert.deepEqual(trace, ["outer", "inner", "handler true true", "inner 404", "outer 404"]);
});

Deno.test("createApplication() answers the authentication's endpoints before the application's routes", async () => {
  const app = start(
    [
      page("/login", {
        default: ({ searchParams }: PageProps) => <p>Own page {searchParams["error"]}</p>,
      }),
      page("/:all*", { default: () => <p>catch-all</p> }),
      route("/me", { GET: () => getUser() }),
    ].sort((a, b) => a.pattern < b.pattern ? 1 : -1),
    withAuth,
  );
  const providers = await app.fetch("/auth/providers", { headers: { accept: "application/json" } });
  assert.deepEqual((await providers.json())[0].id, "credentials");

  const refused = await app.fetch("/auth/signin/credentials", {
    method: "POST",
    headers: form,
    body: "pin=0000",
  });
  assert.equal(refused.status, 401);
  assert.match(await refused.text(), /Own page INVALID_CREDENTIALS/);

  assert.equal(await (await app.fetch("/me")).json(), null);
  const me = await app.fetch("/me", { headers: await signIn(app) });
  assert.equal((await me.json()).id, "ada");
});

Deno.test("createApplication() gives GET of a sign-in page to the application's own", async () => {
  const own = page("/auth/signin", { default: () => <p>Own page</p> });
  const app = start([own], { auth: { providers: withAuth.auth!.providers } });
  assert.match(await (await app.fetch("/auth/signin")).text(), /Own page/);
  const without = start([], { auth: { providers: withAuth.auth!.providers } });
  assert.match(await (await without.fetch("/auth/signin")).text(), /<form/);
});

Deno.test("createApplication() turns errors of the authentication into their status or redirect", async () => {
  const app = start([
    page("/private", { loader: () => requireAuth(), default: () => null }),
    page("/guarded", { default: () => null }, {
      middleware: [middleware(authMiddleware({ role: "admin" }))],
    }),
    route("/api", { GET: () => requireAuth({ throwError: true }) }),
  ], withAuth);
  const redirected = await app.fetch("/private");
  assert.equal(redirected.status, 303);
  assert.match(redirected.headers.get("location")!, /\/login\?callbackUrl=/);
  const api = await app.fetch("/api");
  assert.deepEqual([api.status, (await api.json()).code], [401, "UNAUTHENTICATED"]);
  assert.equal((await app.fetch("/guarded")).status, 401);
  assert.equal((await app.fetch("/guarded", { headers: await signIn(app) })).status, 403);
  assert.equal(app.errors.length, 0);
});

Deno.test("createApplication() reads the session for matched routes only, and not where session is false", async () => {
  const app = start([
    page("/reads", { default: () => null }),
    page("/public", { default: () => null, session: false }),
    page("/inside", { default: () => null }, {
      layouts: [layout({ default: ({ children }: LayoutProps) => children, session: false })],
    }),
  ], withAuth);
  const headers = await signIn(app);
  const storage = app.env["DB"] as ReturnType<typeof createMemoryStorage>;
  const { readSession } = storage;
  let reads = 0;
  storage.readSession = (...args) => {
    reads++;
    return readSession(...args);
  };
  const readsOf = async (path: string, method = "GET"): Promise<number> => {
    reads = 0;
    await app.fetch(path, { method, headers: { ...headers, ...sameOrigin } });
    return reads;
  };
  assert.equal(await readsOf("/reads"), 1);
  assert.equal(await readsOf("/public"), 0);
  assert.equal(await readsOf("/inside"), 0);
  assert.equal(await readsOf("/nothing"), 0);
  assert.equal(await readsOf("/reads", "POST"), 0);
  assert.equal(await readsOf("/reads", "OPTIONS"), 0);
  assert.equal(await readsOf("/auth/providers"), 0);
});

Deno.test("createApplication() names the file that exports session = false to code that asks for the user at once", async () => {
  const greeting = layout({ default: () => getUser()?.name ?? "nobody" });
  const app = start([
    page("/plain", { default: () => null, session: false }, { layouts: [greeting] }),
  ], withAuth);
  assert.equal((await app.fetch("/plain")).status, 500);
  const [error, ...more] = app.errors;
  assert.match(
    (error?.error as Error).message,
    /^Cannot answer getUser\(\) at once: app\/plain\S* exports session = false, for all that answers the request\. /,
  );
  assert.deepEqual(more, []);
});

Deno.test("createApplication() has nobody signed in without the authentication's files", async () => {
  const app = start([
    route("/who", { GET: (_: Request, { auth }: RequestContext) => auth.getUser() }),
    route("/must", { GET: (_: Request, { auth }: RequestContext) => auth.requireAuth() }),
  ]);
  assert.equal(await (await app.fetch("/who")).json(), null);
  assert.equal((await app.fetch("/must")).status, 401);
});

Deno.test("createApplication() believes the platform's header about the client's address, and no other", async () => {
  // Tracks: PF-x27
  const seen: unknown[] = [];
  const warn = (_event: string, fields: Record<string, unknown>) => seen.push(fields["address"]);
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    routes: [],
    auth: null,
    ...withAuth,
  }, { logger: { ...silent, warn } });
  const env = { DB: createMemoryStorage() };
  const lies = {
    "x-forwarded-for": "192.0.2.66",
    "x-real-ip": "192.0.2.67",
    "forwarded": "for=192.0.2.68",
    "true-client-ip": "192.0.2.69",
  };
  for (const said of [{ "cf-connecting-ip": "192.0.2.1" }, {}]) {
    seen.length = 0;
    await worker.fetch(
      new Request("http://localhost/auth/signin/credentials", {
        method: "POST",
        headers: { ...form, ...lies, ...said },
        body: "pin=0",
      }),
      env,
    );
    const addresses = seen.filter((address) => address !== undefined);
    assert.deepEqual(addresses, "cf-connecting-ip" in said ? ["192.0.2.1"] : []);
  }
});
