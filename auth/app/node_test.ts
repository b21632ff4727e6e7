import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { connect } from "node:net";
import { sendRaw } from "../../tests/support/raw_http.ts";
import { apiKeys } from "../api_key/provider.ts";
import { trustProxies } from "../core/client_address.ts";
import { ConfigurationError, ForbiddenError } from "../errors.ts";
import { findRunningRequest } from "../lib/runtime.ts";
import { authMiddleware } from "../session/auth_middleware.ts";
import { endSession, getUser, requireAuth, startSession } from "../session/operations.ts";
import { credentials } from "../sign_in/credentials.ts";
import { deviceBound } from "../sign_in/device_bound/provider.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import { getSessionProof, requireSecondFactor } from "../sign_in/second_factor/require.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { passwordProvider } from "../tests/application.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { createDevice } from "../tests/device.ts";
import { createAuth } from "./create_auth.ts";
import { nodeAuth, toRequest } from "./node.ts";

const auth = createAuth({
  database: createMemoryStorage(),
  pages: { signIn: "/login" },
  rateLimit: false,
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});

/** Serves a listener on a free port. */
async function serving(
  listener: RequestListener,
  work: (origin: string, port: number) => Promise<void>,
): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    await work(`http://localhost:${port}`, port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function signIn(origin: string, pin = "1234"): Promise<Response> {
  const response = await fetch(`${origin}/auth/signin/credentials`, {
    method: "POST",
    headers: { origin, "content-type": "application/json", accept: "text/html" },
    body: JSON.stringify({ pin }),
    redirect: "manual",
  });
  await response.body?.cancel();
  return response;
}

// Tracks
Deno.test("nodeAuth() signs in over node:http, and answers what requireAuth() throws, also later", async () => {
  const handler = nodeAuth(auth, async (request, response) => {
    if (request.url === "/forbidden") throw new ForbiddenError();
    if (request.url === "/later") await new Promise((resolve) => setTimeout(resolve, 1));
    response.end(`Hello ${requireAuth().name}`);
  });
  await serving(handler, async (origin) => {
    for (const path of ["/", "/later"]) {
      const visitor = await fetch(`${origin}${path}`, { redirect: "manual" });
      await visitor.body?.cancel();
      assert.equal(visitor.status, 303);
      const to = `${origin}/login?callbackUrl=${encodeURIComponent(path)}`;
      assert.equal(visitor.headers.get("location"), to);
    }
    const [cookie] = (await signIn(origin)).headers.getSetCookie().map((one) => one.split(";")[0]!);
    const headers = { cookie: cookie! };
    const home = await fetch(`${origin}/`, { headers });
    assert.equal(await home.text(), "Hello Ada");
    assert.match(home.headers.get("vary") ?? "", /cookie/i);
    const forbidden = await fetch(`${origin}/forbidden`, { headers });
    await forbidden.body?.cancel();
    assert.equal(forbidden.status, 403);
    assert.equal((await signIn(origin, "0000")).status, 401);
  });
});

// Tracks: R188
Deno.test("nodeAuth() refuses the keys of two Authorization headers, of which Node keeps the first", async () => {
  const keyed = createAuth({
    database: createMemoryStorage(),
    providers: [apiKeys({ prefix: "acme" })],
  });
  const handler = nodeAuth(keyed, (_request, response) => void response.end("passed"));
  await serving(handler, async (_origin, port) => {
    const ask = async (...lines: string[]) => {
      const head = ["GET / HTTP/1.1", `Host: localhost:${port}`, "Connection: close", ...lines];
      return (await sendRaw(port, `${head.join("\r\n")}\r\n\r\n`)).text;
    };
    const [first, second] = [
      "Authorization: Bearer acme_live_a",
      "authorization: Basic acme_live_b",
    ];
    assert.match(
      await ask(first!, "Accept: application/json", second!),
      /^HTTP\/1\.1 400 .*API_KEY_CONFLICT/s,
    );
    assert.match(await ask(first!), /passed/);
  });
});

// Tracks: A-05, R168
Deno.test("nodeAuth() refuses a request whose headers fill what the server keeps of them, behind which a proxy's may be missing", async () => {
  const addresses: (string | undefined)[] = [];
  const proxied = createAuth({
    database: createMemoryStorage(),
    trustedProxies: trustProxies(["127.0.0.1"]),
    events: { "sign-in": ({ address }) => void addresses.push(address) },
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: () => Promise.resolve({ id: "ada" }),
    })],
  });
  const server = createServer(nodeAuth(proxied));
  for (const [limit, most] of [[null, 999], [50, 49], [0, 1500]] as const) {
    server.maxHeadersCount = limit;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const ask = async (count: number) => {
      const head = [
        "POST /auth/signin/credentials HTTP/1.1",
        `Host: localhost:${port}`,
        "Connection: close",
        `Origin: http://localhost:${port}`,
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 5",
        "X-Forwarded-For: 192.0.2.6",
      ];
      const last = "X-Forwarded-For: 203.0.113.5";
      const lines = [...head, ...Array(count - head.length).fill("A: b"), last];
      return (await sendRaw(port, `${lines.join("\r\n")}\r\n\r\npin=1`)).status;
    };
    assert.equal(await ask(most), 303, `${limit}`);
    assert.deepEqual(addresses.splice(0), ["203.0.113.5"]);
    for (const more of limit === 0 ? [] : [1, 2, 40, 500]) {
      assert.equal(await ask(most + more), 431, `${limit} and ${more} more`);
    }
    assert.deepEqual(addresses.splice(0), []);
    await new Promise((resolve) => server.close(resolve));
  }
});

// Tracks: A-16, R169
Deno.test("toRequest() has no Expect, to which Node has given its answer: a refusal waits for the body", async () => {
  const seen: (string | null)[] = [];
  await serving((incoming, outgoing) => {
    seen.push(toRequest(incoming, outgoing).headers.get("expect"));
    outgoing.end();
  }, async (_origin, port) => {
    const head = ["POST / HTTP/1.1", "Host: localhost", "Connection: close", "Content-Length: 1"];
    await sendRaw(port, `${[...head, "Expect: 100-continue"].join("\r\n")}\r\n\r\nx`);
  });
  assert.deepEqual(seen, [null]);
});

Deno.test("nodeAuth() hands what is not its own to next(), with the request at hand, and unknown errors too", async () => {
  const handler = nodeAuth(auth);
  const passed: unknown[] = [];
  await serving((request, response) =>
    handler(request, response, (error) => {
      if (error === undefined && request.url === "/boom") {
        return handler.errors(new TypeError("boom"), request, response, (one) => {
          passed.push(one);
          response.end("500");
        });
      }
      if (error === undefined && request.url === "/own") {
        return handler.errors(new ForbiddenError(), request, response, (one) => passed.push(one));
      }
      passed.push(findRunningRequest() !== undefined && getUser());
      response.end("next");
    }), async (origin) => {
    assert.equal(await (await fetch(`${origin}/`)).text(), "next");
    assert.equal(await (await fetch(`${origin}/boom`)).text(), "500");
    const own = await fetch(`${origin}/own`);
    await own.body?.cancel();
    assert.equal(own.status, 403);
  });
  assert.equal(passed[0], null);
  assert.match(String(passed[1]), /boom/);
  assert.equal(passed.length, 2);
});

Deno.test("nodeAuth() says so when a body parser was there before it, and 404 where nothing else is", async () => {
  const handler = nodeAuth(auth);
  const errors: unknown[] = [];
  await serving(async (request, response) => {
    if (request.method === "POST") { for await (const _ of request); }
    await handler(
      request,
      response,
      request.method === "POST"
        ? (error) => {
          errors.push(error);
          response.end();
        }
        : undefined,
    );
  }, async (origin) => {
    await signIn(origin);
    assert.match(String(errors[0]), /place nodeAuth\(\) before the parser that read it/);
    const nothing = await fetch(`${origin}/nowhere`);
    await nothing.body?.cancel();
    assert.equal(nothing.status, 404);
  });
});

// Tracks: AU-12
Deno.test("nodeAuth() takes a body as a parser of Express has left it, in each of its forms", async () => {
  const seen: unknown[] = [];
  const application = createAuth({
    database: createMemoryStorage(),
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" }, more: { label: "More", type: "text" } },
      authorize(given) {
        seen.push(given.name);
        return Promise.resolve(null);
      },
    })],
  });
  const handler = nodeAuth(application);
  const form = "application/x-www-form-urlencoded; charset=utf-8";
  const cases: [string, unknown, number][] = [
    [form, { "name": "ada & co", "more": { "name": "eve" } }, 401],
    [form, { name: ["ada & co", "eve"] }, 400],
    [form, {}, 401],
    ["application/json", { name: "ada & co" }, 401],
    ["text/plain", "name=ada+%26+co", 415],
    [form, new TextEncoder().encode("name=ada+%26+co"), 401],
    [form, { name: "x".repeat(40_000) }, 413],
  ];
  for (const [type, body, status] of cases) {
    await serving(async (request, response) => {
      for await (const _ of request);
      await handler(Object.assign(request, { body }), response);
    }, async (origin) => {
      const sent = await fetch(`${origin}/auth/signin/credentials`, {
        method: "POST",
        headers: { origin, "content-type": type, "accept": "application/json" },
        body: "name=somebody+else",
      });
      assert.equal(
        sent.status,
        status,
        `${JSON.stringify(body).slice(0, 60)}: ${await sent.text()}`,
      );
    });
  }
  assert.deepEqual(seen, ["ada & co", "", "ada & co", "ada & co"]);
});

// Tracks: R168
Deno.test("nodeAuth() refuses a Host that is more than a name, and takes no path from it", async () => {
  const paths: unknown[] = [];
  const handler = nodeAuth(auth, (_request, response) => {
    paths.push(new URL(findRunningRequest()!.request.url).pathname);
    response.end();
  });
  await serving(handler, async (_, port) => {
    const ask = (head: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, "127.0.0.1", () =>
          socket.write(`${head}\r\nConnection: close\r\n\r\n`));
        let text = "";
        socket.on("data", (part) =>
          text += part).on("close", () =>
            resolve(text));
      });
    for (const host of ["localhost/admin?", "a b", "1.2.3.4.5"]) {
      assert.match(await ask(`GET / HTTP/1.1\r\nHost: ${host}`), /^HTTP\/1\.1 400/, host);
    }
    for (const line of ["TRACE /", "OPTIONS *", "GET http://localhost/auth/session"]) {
      assert.match(await ask(`${line} HTTP/1.1\r\nHost: localhost`), /^HTTP\/1\.1 400/, line);
    }
    const named = "Host: localhost\r\n__proto__: x\r\nconstructor: y";
    assert.match(await ask(`GET /named HTTP/1.1\r\n${named}`), /^HTTP\/1\.1 200/);
    assert.match(await ask("GET //evil.example/x HTTP/1.1\r\nHost: localhost"), /^HTTP\/1\.1 200/);
  });
  assert.deepEqual(paths, ["/named", "//evil.example/x"]);
});

Deno.test("nodeAuth() sends who lacks the proof of a device to the page that tries again, not to the sign-in", async () => {
  let now = Date.now();
  const application = createAuth({
    database: createMemoryStorage(),
    baseUrl: "https://app.example",
    now: () => now,
    pages: { signIn: "/login" },
    session: { deviceBound: deviceBound({ sendMail() {} }) },
    providers: [passwordProvider()],
  });
  const handler = nodeAuth(application, (_request, response) => {
    response.end(requireAuth().name);
  });
  const express = nodeAuth(application);
  for (const isExpress of [false, true]) {
    const send: RequestListener = (request, response) => {
      if (!isExpress) return void handler(request, response);
      void express(request, response, () => {
        try {
          response.end(requireAuth().name);
        } catch (error) {
          express.errors(error, request, response, (unknown) => response.end(String(unknown)));
        }
      });
    };
    const ada = await createDevice({
      send: (path, { cookie = "", fields, ...sent } = {}) =>
        application.fetch(
          new Request(`https://app.example/auth${path}`, {
            method: "POST",
            headers: { origin: "https://app.example", cookie, ...sent.headers },
            ...fields && { body: new URLSearchParams(fields as Record<string, string>) },
          }),
          {},
          { clientAddress: "192.0.2.1" },
        ),
    });
    await ada.signIn();
    await ada.register();
    await serving(send, async (origin) => {
      const headers = { cookie: ada.cookie(), "x-forwarded-proto": "https", accept: "text/html" };
      const known = await fetch(origin, { headers });
      assert.equal(await known.text(), "ada");
      now += 600_001;
      const page = await fetch(origin, { headers, redirect: "manual" });
      assert.match(await page.text(), /Checking this device/);
      assert.deepEqual([page.status, page.headers.get("refresh")], [401, "3"]);
      const json = await fetch(origin, {
        headers: { ...headers, accept: "application/json" },
        redirect: "manual",
      });
      assert.equal((await json.json()).code, "SESSION_UNBOUND");
      const visitor = await fetch(origin, { redirect: "manual" });
      await visitor.body?.cancel();
      assert.equal(visitor.status, 303);
    });
  }
});

// Tracks: CVE-2025-48947
Deno.test("nodeAuth() keeps caches from storing a renewed cookie, whatever the handler writes", async () => {
  let ahead = 0;
  const moving = createAuth({
    database: createMemoryStorage(),
    rateLimit: false,
    now: () => Date.now() + ahead,
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: () => Promise.resolve({ id: "ada", name: "Ada" }),
    })],
  });
  const shared = {
    "Cache-Control": "public, max-age=60",
    "CDN-Cache-Control": "max-age=600",
    "Vary": "Accept-Encoding",
  };
  const own = "theme=dark";
  const ways: Record<string, RequestListener> = {
    "/set": (_, response) => {
      for (const [name, value] of Object.entries(shared)) response.setHeader(name, value);
      response.setHeader("Set-Cookie", own);
      response.end("x");
    },
    "/object": (_, response) => response.writeHead(200, { ...shared, "Set-Cookie": own }).end("x"),
    "/message": (_, response) =>
      response.writeHead(200, "Fine", { ...shared, "Set-Cookie": [own] }).end("x"),
    "/flat": (_, response) =>
      response.writeHead(200, [...Object.entries(shared).flat(), "Set-Cookie", own]).end("x"),
    "/pairs": (_, response) =>
      response.writeHead(200, [...Object.entries(shared), ["Set-Cookie", own]] as never).end("x"),
  };
  const handler = nodeAuth(moving, (request, response) => {
    getUser();
    return ways[request.url!]!(request, response);
  });
  await serving(handler, async (origin) => {
    for (const path of Object.keys(ways)) {
      const cookie = (await signIn(origin)).headers.getSetCookie()[0]!.split(";")[0]!;
      const get = async () => {
        const response = await fetch(origin + path, { headers: { cookie } });
        assert.equal(await response.text(), "x", path);
        return response.headers;
      };
      const fresh = await get();
      assert.deepEqual(fresh.getSetCookie(), [own], path);
      assert.equal(fresh.get("cache-control"), "public, max-age=60", path);
      assert.equal(fresh.get("cdn-cache-control"), "max-age=600", path);
      assert.match(fresh.get("vary")!, /Accept-Encoding.*Cookie|Cookie.*Accept-Encoding/, path);
      ahead += 2 * 86_400_000;
      const renewed = await get();
      assert.equal(renewed.getSetCookie().length, 2, path);
      assert.ok(renewed.getSetCookie().includes(own), path);
      assert.equal(renewed.get("cache-control"), "no-store", path);
      // A cache in front of the application would follow it in the place of the other.
      assert.equal(renewed.get("cdn-cache-control"), null, path);
      assert.equal(renewed.get("clear-site-data"), '"prefetchCache", "prerenderCache"', path);
      assert.match(renewed.get("vary")!, /Cookie/, path);
    }
  });
});

// Tracks: R168
Deno.test("nodeAuth() answers an error in the place of what the handler began to say, whose length is no more", async () => {
  const handler = nodeAuth(auth, (request, response) => {
    response.setHeader("content-type", "text/plain");
    response.setHeader("content-length", "5");
    response.setHeader("content-encoding", "gzip");
    response.setHeader("etag", '"1"');
    response.setHeader("vary", "Origin");
    response.setHeader("set-cookie", "theme=dark");
    if (request.url === "/head") response.writeHead(200, { "x-line": "a\r\nb" });
    requireAuth({ throwError: request.url === "/api" });
    response.end("hello");
  });
  await serving(handler, async (origin) => {
    const statuses = [];
    for (const path of ["/", "/api", "/head"]) {
      const response = await fetch(origin + path, { redirect: "manual" });
      const { headers } = response;
      const text = await response.text();
      assert.notEqual(text, "hello");
      assert.ok([null, String(text.length)].includes(headers.get("content-length")), path);
      assert.equal(headers.get("content-encoding"), null);
      assert.equal(headers.get("etag"), null);
      assert.doesNotMatch(headers.get("content-type") ?? "", /,/);
      assert.match(headers.get("vary")!, /Origin.*Cookie/);
      assert.deepEqual(headers.getSetCookie(), ["theme=dark"]);
      statuses.push(response.status);
    }
    assert.deepEqual(statuses, [303, 401, 500]);
    // Over the same connections.
    assert.equal((await signIn(origin)).status, 303);
  });
});

Deno.test("nodeAuth() passes a request to authMiddleware() as middleware of Express", async () => {
  const handler = nodeAuth(auth);
  const protect = handler.protect(authMiddleware({ role: "admin" }));
  const all = handler.protect(authMiddleware());
  await serving((request, response) => {
    const guard = request.url === "/admin" ? protect : all;
    void handler(request, response, () => guard(request, response, () => response.end("passed")));
  }, async (origin) => {
    const cookie = (await signIn(origin)).headers.getSetCookie()[0]!.split(";")[0]!;
    const statuses = [];
    for (const path of ["/", "/admin"]) {
      for (const headers of [{ cookie }, new Headers()]) {
        const response = await fetch(origin + path, { headers });
        statuses.push([path, response.status, await response.text() === "passed"]);
      }
    }
    assert.deepEqual(statuses, [
      ["/", 200, true],
      ["/", 401, false],
      ["/admin", 403, false],
      ["/admin", 401, false],
    ]);
  });
  await serving(async (request, response) => {
    await assert.rejects(all(request, response, () => {}), /let the handler see it first/);
    response.end();
  }, async (origin) => {
    await (await fetch(origin)).body?.cancel();
  });
});

Deno.test("nodeAuth() is a listener of node:http2, whose Host is the authority", async () => {
  const server = createHttp2Server(
    nodeAuth(auth, (_request, response) => {
      response.end(`${requireAuth().name} at ${findRunningRequest()!.request.url}`);
    }) as never,
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://localhost:${(server.address() as { port: number }).port}`;
  const client = connectHttp2(origin);
  const ask = (headers: Record<string, string>, body = "") =>
    new Promise<{ headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const stream = client.request(headers);
      let found = {};
      let text = "";
      stream.on("response", (given) => found = given);
      stream.on("data", (part) => text += part);
      stream.on("end", () => resolve({ headers: found, text }));
      stream.on("error", reject);
      if (body !== "") stream.end(body);
    });
  try {
    const signedIn = await ask({
      ":path": "/auth/signin/credentials",
      ":method": "POST",
      "content-type": "application/json",
      accept: "text/html",
      origin,
    }, JSON.stringify({ pin: "1234" }));
    assert.equal(signedIn.headers[":status"], 303);
    const [cookie] = (signedIn.headers["set-cookie"] as string[])[0]!.split(";");
    const home = await ask({ ":path": "/home", cookie: cookie! });
    assert.equal(home.text, `Ada at ${origin}/home`);
    assert.equal((await ask({ ":path": "/" })).headers[":status"], 303);
  } finally {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("nodeAuth() says where a browser signs in and out to a handler that begins or ends a session, and changes nothing", async () => {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const application = createAuth({ database, rateLimit: false, providers: [passwordProvider()] });
  const sessions = async () => {
    const found = await database.listSessions("ada", { now: Date.now(), limit: 9 });
    return found.map(({ id }) => id);
  };
  const told: unknown[] = [];
  const handler = nodeAuth(application, async (request, response) => {
    if (request.url === "/end") response.end("done");
    else if (request.url === "/stream") response.write("begun, ");
    for (const work of [() => startSession("ada"), () => endSession()]) {
      await work().catch(({ code, status, message }) => told.push([code, status, message]));
    }
    if (!response.writableEnded) response.end(`still ${getUser()?.name}`);
  });
  await serving(handler, async (origin) => {
    const begun = await fetch(`${origin}/auth/signin/credentials`, {
      method: "POST",
      headers: { origin },
      body: new URLSearchParams({ name: "ada", password: "right" }),
      redirect: "manual",
    });
    await begun.body?.cancel();
    const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
    const before = await sessions();
    assert.equal(before.length, 1);
    for (const path of ["/", "/stream", "/end"]) {
      const response = await fetch(origin + path, { headers: { cookie } });
      assert.match(await response.text(), /^(?:begun, )?still ada$|^done$/);
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.deepEqual(await sessions(), before);
  });
  assert.equal(told.length, 6);
  for (const [code, status, message] of told as [string, number, string][]) {
    assert.deepEqual([code, status], ["HEADERS_SENT", 500]);
    assert.match(
      message,
      /nodeAuth\(\) and fastifyAuth\(\) write its headers before\. .*sign in and out below \/auth/,
    );
  }
});

// Tracks: R172
Deno.test("nodeAuth() answers a database that is down behind its own door as every endpoint does, and logs it", async () => {
  const database = createD1Double();
  const logged: unknown[] = [];
  const down = createAuth({
    database,
    secret: "s".repeat(32),
    rateLimit: false,
    logger: { info() {}, warn() {}, error: (...line) => void logged.push(line) },
    providers: [passwordProvider(), secondFactor({ sendMail() {} })],
  });
  const accounts = nodeAuth(down);
  const guard = accounts.protect(authMiddleware({ secondFactor: true }));
  const fall = () => void (database.fail = "SELECT of a secret: no connection");
  const express: RequestListener = (request, response) =>
    void accounts(request, response, () => {
      fall();
      guard(request, response, () => response.end("in"))
        .catch((error) => accounts.errors(error, request, response, () => response.end("next")));
    });
  const listeners: RequestListener[] = [
    nodeAuth(down, async (_request, response) => {
      fall();
      response.end((await requireSecondFactor()).id);
    }),
    nodeAuth(down, async (_request, response) => {
      fall();
      response.end(JSON.stringify(await getSessionProof()));
    }),
    express,
  ];
  for (const listener of listeners) {
    await serving(listener, async (origin) => {
      const signedIn = await fetch(`${origin}/auth/signin/credentials`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify({ name: "ada", password: "right" }),
      });
      await signedIn.body?.cancel();
      const cookie = signedIn.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
      for (const accept of ["application/json", "text/html"]) {
        database.fail = undefined;
        logged.length = 0;
        const response = await fetch(origin, { headers: { cookie, accept } });
        const text = await response.text();
        assert.equal(response.status, 503, text);
        assert.equal(response.headers.get("retry-after"), "2");
        assert.equal(response.headers.get("cache-control"), "no-store");
        assert.doesNotMatch(text, /secret|SELECT/);
        const { code, requestId } = accept === "text/html"
          ? { code: "STORAGE_UNAVAILABLE", requestId: /Request (\S+)/.exec(text)![1] }
          : JSON.parse(text);
        assert.equal(code, "STORAGE_UNAVAILABLE");
        const [[event, fields]] = logged as [[string, Record<string, unknown>]];
        assert.deepEqual([event, fields.requestId, fields.code], [
          "request-failed",
          requestId,
          code,
        ]);
      }
      database.fail = undefined;
    });
  }
  database.close();
});

Deno.test("nodeAuth() answers what the application itself throws as JSON to who prefers that, names it in the log, and tells nothing of it", async () => {
  const target = globalThis.console;
  const { error } = target;
  const lines: string[] = [];
  target.error = (...given) => void lines.push(given.map(String).join(" "));
  const logged: unknown[] = [];
  const failing = createAuth({
    database: createMemoryStorage(),
    secret: "s".repeat(32),
    rateLimit: false,
    logger: { info() {}, warn() {}, error: (...line) => void logged.push(line) },
    providers: [
      passwordProvider(),
      secondFactor({
        sendMail() {},
        required() {
          throw new TypeError("boom of a secret");
        },
      }),
    ],
  });
  const handler = nodeAuth(failing, () => {
    throw new ConfigurationError("A secret is wrong");
  });
  try {
    await serving(handler, async (origin) => {
      const sign = (accept: string) =>
        fetch(`${origin}/auth/signin/credentials`, {
          method: "POST",
          headers: { origin, "content-type": "application/json", accept },
          body: JSON.stringify({ name: "ada", password: "right" }),
        });
      const own = (accept: string) => fetch(origin, { headers: { accept } });
      for (
        const [ask, accept, code] of [
          [sign, "*/*", "INTERNAL_ERROR"],
          [sign, "application/json", "INTERNAL_ERROR"],
          [sign, "text/html", null],
          [own, "application/json", "CONFIGURATION"],
          [own, "text/html", null],
        ] as const
      ) {
        lines.length = logged.length = 0;
        const response = await ask(accept);
        const text = await response.text();
        assert.equal(response.status, 500, text);
        assert.equal(response.headers.get("cache-control"), "no-store");
        assert.doesNotMatch(text, /secret/);
        const isJson = response.headers.get("content-type")!.startsWith("application/json");
        assert.equal(isJson, code !== null, accept);
        const requestId = isJson ? JSON.parse(text).requestId : /Request (\S+)/.exec(text)![1];
        if (isJson) assert.equal(JSON.parse(text).code, code);
        assert.equal(lines.length, 1);
        assert.ok(lines[0]!.includes(requestId), lines[0]);
        assert.match(lines[0]!, /secret/);
        if (ask === sign) assert.equal(logged.length, 1);
      }
    });
  } finally {
    target.error = error;
  }
});
