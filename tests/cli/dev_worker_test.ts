import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createProxy } from "../../cli/dev/proxy.ts";
import { frontHeader } from "../../cli/emulator/shell.ts";
import type { ServeRequest } from "../../cli/platform/worker_request.ts";
import { createRunner } from "../../cli/emulator/runner.ts";
import { sendRaw } from "../support/raw_http.ts";
import { openWebSocket } from "../support/web_socket.ts";
import { createFixtureApp } from "./fixture_app.ts";

/** A worker that tells what it got, and counts what ran. */
const code = `let runs = [];
export default {
  async fetch(request) {
    if (request.headers.get("upgrade") === "websocket") {
      const [client, server] = Object.values(new WebSocketPair());
      server.accept();
      server.send("connected");
      return new Response(null, { status: 101, webSocket: client });
    }
    const headers = Object.fromEntries(request.headers);
    return Response.json({ url: request.url, headers, runs });
  },
  scheduled: ({ cron, scheduledTime }) => void runs.push([cron, typeof scheduledTime]),
};`;

/** A server that passes everything on by the proxy of framework dev. */
function listen(proxy: ReturnType<typeof createProxy>): Promise<Server> {
  const server = createServer((request, response) => {
    void proxy.pass(request, response, () => Promise.resolve({ message: "", markup: "" })).catch(
      () => response.destroy(),
    );
  });
  server.on("upgrade", (request: IncomingMessage, client, head) => {
    proxy.upgrade(request, client, head);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Returns the first message of a socket; null when it is refused. */
function greeting(url: string, headers: Record<string, string>): Promise<string | null> {
  const socket = openWebSocket(new URL("/socket", url.replace("http", "ws")), headers);
  return new Promise((resolve) => {
    socket.onmessage = ({ data }) => (resolve(String(data)), socket.close());
    socket.onerror = () => resolve(null);
  });
}

Deno.test({
  name: "the worker behind framework dev answers its front server and nobody else",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    // Tracks, R157
    await using app = await createFixtureApp({});
    const request: ServeRequest = {
      root: app.root,
      name: "app",
      compatibilityDate: "2026-07-30",
      compatibilityFlags: ["nodejs_compat"],
      vars: {},
      d1Databases: {},
      kvNamespaces: {},
      r2Buckets: {},
      queueProducers: {},
      queueConsumers: {},
      durableObjects: {},
      assets: null,
      assetsRevision: 0,
    };
    const runner = createRunner(() => {});
    const served = await runner.serve(request, {
      code,
      map: null,
      packages: null,
      modules: [],
      objects: "",
    });
    assert.ok(served.ok, JSON.stringify(served));
    const proxy = createProxy(served, { secure: false });
    const front = await listen(proxy);
    const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const told = async () => await (await fetch(origin)).json();
    try {
      await t.step("a request to its own port is refused, whatever it claims", async () => {
        const { port } = new URL(served.url);
        const claims = [
          "Host: evil.example",
          `Host: 127.0.0.1:${port}`,
          `Host: 127.0.0.1:${port}\r\n${frontHeader}: `,
          `Host: 127.0.0.1:${port}\r\n${frontHeader}: ${"0".repeat(32)}`,
          `Host: 127.0.0.1:${port}\r\nCf-Connecting-Ip: 192.0.2.1`,
          `Host: 127.0.0.1:${port}\r\nMf-Original-Url: ${origin}/`,
        ];
        for (const claim of claims) {
          const head = `GET / HTTP/1.1\r\n${claim}\r\nConnection: close\r\n\r\n`;
          const reply = await sendRaw(Number(port), head);
          assert.equal(reply.status, 403, `${claim}: ${reply.text}`);
          assert.ok(!reply.text.includes('"url"'));
        }
      });
      await t.step("a web socket to its own port is refused", async () => {
        assert.equal(await greeting(served.url, { origin: "http://evil.example" }), null);
        assert.equal(await greeting(served.url, { origin: new URL(served.url).origin }), null);
        assert.equal(await greeting(origin, { origin }), "connected");
      });
      await t.step("no handler runs by a request to its own port", async () => {
        for (
          const path of ["handler/scheduled?cron=*", "mf/scheduled?cron=*", "handler/scheduled"]
        ) {
          const response = await fetch(new URL(`/cdn-cgi/${path}`, served.url));
          assert.notEqual(await response.text(), "ok");
        }
        assert.deepEqual((await told()).runs, []);
        for (
          const path of [
            "/cdn-cgi/handler/scheduled?cron=0+3+*+*+*",
            "/x/%2e%2e/cdn-cgi/handler/scheduled?cron=1+*+*+*+*",
          ]
        ) {
          const response = await fetch(origin + path);
          assert.equal(await response.text(), "ok");
        }
        assert.deepEqual((await told()).runs, [["0 3 * * *", "number"], ["1 * * * *", "number"]]);
      });
      await t.step("what the front server says is told, and not what the client says", async () => {
        const response = await fetch(`${origin}/page`, {
          headers: {
            "cf-connecting-ip": "192.0.2.1",
            "mf-original-url": "http://evil.example/",
            [frontHeader]: "0",
          },
        });
        const { headers, url } = await response.json();
        assert.equal(url, `${origin}/page`);
        assert.equal(headers["cf-connecting-ip"], "127.0.0.1");
        assert.equal(headers[frontHeader], undefined);
        assert.ok(!JSON.stringify(headers).includes(served.secret));
      });
    } finally {
      front.close();
      front.closeAllConnections();
      proxy.close();
      await runner.dispose();
    }
  },
});
