import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { OAuthError } from "../../errors.ts";
import { callProvider, getJson, isProviderUrl, parseObject } from "./request.ts";

const CALLER = { fetch, now: Date.now, timeout: 10_000 };
const JSON_TYPE = { "content-type": "application/json" };

/** A server of a provider that fails in the way that the path names. */
interface FaultyServer {
  url: string;
  /** Bytes that the endless answer has got rid of. */
  written(): number;
  /** The paths that were asked for. */
  requests: string[];
  close(): Promise<void>;
}

async function startFaultyServer(): Promise<FaultyServer> {
  const requests: string[] = [];
  let written = 0;
  const chunk = " ".repeat(64 * 1024);

  function writeForever(response: ServerResponse): void {
    while (!response.destroyed) {
      written += chunk.length;
      if (!response.write(chunk)) return void response.once("drain", () => writeForever(response));
    }
  }

  const faults: Record<string, (response: ServerResponse) => void> = {
    "/good": (response) => response.writeHead(200, JSON_TYPE).end('{"a":1}'),
    "/html200": (response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello"),
    "/untyped": (response) => response.writeHead(200).end('{"a":1}'),
    "/html500": (response) => response.writeHead(500).end("<p>Broken"),
    "/html404": (response) =>
      response.writeHead(404, { "content-type": "text/html" }).end("<p>Gone"),
    "/429": (response) => response.writeHead(429, JSON_TYPE).end('{"error":"slow_down"}'),
    "/hang": () => {},
    "/slowloris": (response) => {
      response.writeHead(200, JSON_TYPE).write('{"a":');
      const timer = setInterval(() => response.write(" "), 10);
      response.once("close", () => clearInterval(timer));
    },
    "/huge": (response) => {
      response.writeHead(200, JSON_TYPE).write("[");
      writeForever(response);
    },
    "/truncate": (response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-length": "100" });
      response.write('{"a":', () => response.destroy());
    },
    "/cut": (response) => response.writeHead(200, JSON_TYPE).end('{"a":'),
    "/list": (response) => response.writeHead(200, JSON_TYPE).end("[1]"),
    "/null": (response) => response.writeHead(200, JSON_TYPE).end("null"),
    "/reset": (response) => response.destroy(),
    "/redirect": (response) => response.writeHead(302, { location: "/good" }).end(),
    "/redirect307": (response) => response.writeHead(307, { location: "/good" }).end(),
  };
  const server = createServer((request, response) => {
    requests.push(request.url!);
    faults[request.url!]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    written: () => written,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Tracks: R095, R096, F22, F23, GHSA-5rr4-8452-hf4v, CVE-2026-53513, BA #10241, BA #9226
Deno.test("callProvider() ends every misbehaviour of a server with one of two errors", async () => {
  const server = await startFaultyServer();
  const cases: [string, string, number?][] = [
    ["/html200", "OAUTH_RESPONSE_INVALID"],
    ["/untyped", "OAUTH_RESPONSE_INVALID"],
    ["/html404", "OAUTH_RESPONSE_INVALID"],
    ["/cut", "OAUTH_RESPONSE_INVALID"],
    ["/list", "OAUTH_RESPONSE_INVALID"],
    ["/null", "OAUTH_RESPONSE_INVALID"],
    ["/huge", "OAUTH_RESPONSE_INVALID"],
    ["/redirect", "OAUTH_RESPONSE_INVALID"],
    ["/redirect307", "OAUTH_RESPONSE_INVALID"],
    ["/html500", "OAUTH_UNAVAILABLE"],
    ["/429", "OAUTH_UNAVAILABLE"],
    ["/truncate", "OAUTH_UNAVAILABLE"],
    ["/reset", "OAUTH_UNAVAILABLE"],
    ["/hang", "OAUTH_UNAVAILABLE", 100],
    ["/slowloris", "OAUTH_UNAVAILABLE", 100],
  ];
  try {
    for (const [path, code, timeout = 10_000] of cases) {
      const caller = { ...CALLER, timeout };
      const body = new URLSearchParams({ secret: "canary" });
      for (const init of [{}, { body }]) {
        await assert.rejects(
          callProvider(server.url + path, init, caller).then(parseObject),
          (error) => {
            assert.ok(error instanceof OAuthError, path);
            assert.equal(error.code, code, path);
            assert.equal(`${error.message}${error.cause}`.includes("canary"), false, path);
            return true;
          },
          path,
        );
      }
    }
    assert.deepEqual(await getJson(`${server.url}/good`, CALLER), { a: 1 });
    assert.equal(server.requests.filter((path) => path === "/good").length, 1);
    // What the kernel holds on the way comes on top of what is read.
    assert.ok(server.written() < 40 * 1024 * 1024, `${server.written()} bytes`);
  } finally {
    await server.close();
  }
});

// Tracks: R096, F22
Deno.test("callProvider() gives up in time also on a fetch that ignores its signal", async () => {
  const deaf = () => new Promise<Response>(() => {});
  await assert.rejects(
    callProvider("https://id.example/", {}, { fetch: deaf, now: Date.now, timeout: 20 }),
    (error) => error instanceof OAuthError && error.code === "OAUTH_UNAVAILABLE",
  );
});

// Tracks: R095
Deno.test("callProvider() follows nothing, names itself, and asks for JSON", async () => {
  let seen: RequestInit | undefined;
  const headers = new Headers({ authorization: "Basic x" });
  await callProvider("https://id.example/token", { body: new URLSearchParams("a=b"), headers }, {
    now: Date.now,
    fetch(_, init) {
      seen = init;
      return Promise.resolve(Response.json({}));
    },
  });
  assert.equal(seen?.redirect, "manual");
  assert.equal(seen?.method, "POST");
  assert.deepEqual(Object.fromEntries(new Headers(seen?.headers)), {
    accept: "application/json",
    authorization: "Basic x",
    "user-agent": "@framework/auth",
  });
});

// Tracks: R092
Deno.test("isProviderUrl() takes https, and http on the machine itself", () => {
  const good = ["https://id.example", "https://id.example:8443/x?y=z", "http://localhost:4011/a"];
  good.push("http://127.0.0.1/", "http://[::1]:1/", "http://id.localhost/");
  for (const url of good) assert.equal(isProviderUrl(url), true, url);
  const bad = ["http://id.example", "http://localhost.evil.example", "ftp://id.example", "/token"];
  bad.push("javascript:alert(1)", "https://a:b@id.example/", "https://id.example/#x", "", "https:");
  bad.push(
    "http://0.0.0.0/",
    "http://169.254.169.254/",
    "http://[::ffff:127.0.0.1]/",
    "//x.example",
  );
  for (const url of [...bad, null, 5, {}]) assert.equal(isProviderUrl(url), false, String(url));
});
