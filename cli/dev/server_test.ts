import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createBrowserErrors } from "./browser_errors.ts";
import { createFrontServer, type FrontOptions } from "./server.ts";
import { WorkerHang } from "./hang_watch.ts";
import { createHostCheck } from "./host_check.ts";
import { createLiveReload } from "./live_reload.ts";
import type { Proxy } from "./proxy.ts";

/** Sends text to a server, and gives what it answers until it ends the connection. */
async function ask(port: number, text: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  await connection.closeWrite();
  const answer = await new Response(connection.readable).text();
  return answer;
}

const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

const KINDS: Record<string, [line: string, headers: string]> = {
  "a page": ["GET / HTTP/1.1", ""],
  "a form": ["POST / HTTP/1.1", "Content-Length: 0\r\n"],
  "a script of a page": ["GET /.framework/live.js HTTP/1.1", ""],
  "what tells pages of changes": ["GET /.framework/events HTTP/1.1", ""],
  "an error of a page": [
    "POST /.framework/errors HTTP/1.1",
    "Sec-Fetch-Site: same-origin\r\nContent-Length: 22\r\n\r\n" + '{"text":"x","page":""}',
  ],
  "a built file": ["GET /_framework/x.js HTTP/1.1", ""],
  "a handler": ["GET /cdn-cgi/handler/scheduled HTTP/1.1", ""],
  "a preflight": ["OPTIONS / HTTP/1.1", "Access-Control-Request-Method: PUT\r\n"],
  "a WebSocket": ["GET /socket HTTP/1.1", UPGRADE],
};

/** Runs a test against a front server, before a worker that is this proxy. */
async function withFront(
  proxy: Pick<Proxy, "pass"> & Partial<Proxy>,
  more: Partial<FrontOptions>,
  test: (port: number) => Promise<void>,
): Promise<void> {
  const live = createLiveReload();
  const server = createFrontServer({
    isOwnHost: createHostCheck("localhost", []),
    state: () =>
      Promise.resolve({ kind: "running", proxy: { upgrade() {}, close() {}, ...proxy } }),
    recover: () => Promise.resolve(),
    live,
    assets: "/nowhere",
    publicDir: "/nowhere",
    explain: (stack) => Promise.resolve({ text: stack, all: stack }),
    takeError: () => Promise.resolve(false),
    schedules: () => [],
    ...more,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await test((server.address() as AddressInfo).port);
  } finally {
    live.close();
    server.close();
    await once(server, "close");
  }
}

Deno.test("createFrontServer() sends a request that hung only once, and says so in a page that does not refresh", async () => {
  const reached: string[] = [];
  const proxy: Pick<Proxy, "pass"> = {
    pass({ method, url }) {
      const name = `${method} ${url}`;
      reached.push(name);
      const open = { name, isBegun: false, isLeft: false, taken: 0, fail() {} };
      return Promise.reject(new WorkerHang([open]));
    },
  };
  const recover = () => Promise.resolve(void reached.push("recovered"));
  await withFront(proxy, { recover }, async (port) => {
    const head = `GET /clock HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n`;
    const page = await ask(port, `${head}Accept: text/html\r\n\r\n`);
    assert.match(
      page,
      /^HTTP\/1\.1 504 [^]*<pre>The worker has answered nothing [^]*GET \/clock\./,
    );
    assert.doesNotMatch(page, /http-equiv="refresh"/);
    const text = await ask(port, `${head}\r\n`);
    assert.match(
      text,
      /^HTTP\/1\.1 504 [^]*\r\n\r\n[^<]*The worker has answered nothing [^]*GET \/clock\./,
    );
    assert.deepEqual(reached, ["GET /clock", "GET /clock"]);
  });
});

Deno.test("createFrontServer() names the schedules to whoever asks for another one, and runs nothing", async () => {
  const proxy: Pick<Proxy, "pass"> = {
    pass: ({ url }, response) => Promise.resolve(void response.end(`ran ${url}`)),
  };
  const schedules = () => ["0 3 * * *", "*/5 * * * *"];
  const path = "/cdn-cgi/handler/scheduled";
  const run = async (port: number, query: string): Promise<string> => {
    const answer = await ask(
      port,
      `GET ${path}${query} HTTP/1.0\r\nHost: localhost:${port}\r\n\r\n`,
    );
    return `${answer.slice(9, 12)} ${answer.split("\r\n\r\n")[1]}`;
  };
  await withFront(proxy, { schedules }, async (port) => {
    assert.match(await run(port, "?cron=0+3+*+*+*"), /^200 [^]*ran /);
    const list = "  ?cron=0+3+*+*+*\n  ?cron=*/5+*+*+*+*\n";
    assert.equal(
      await run(port, "?cron=7+7+*+*+*"),
      `404 No job has the schedule "7 7 * * *". Ask with one of these:\n${list}`,
    );
    assert.equal(
      await run(port, ""),
      `404 The address names no schedule. Ask with one of these:\n${list}`,
    );
  });
  await withFront(proxy, {}, async (port) => {
    assert.equal(
      await run(port, "?cron=*"),
      '404 No job has the schedule "*", and there are none: app/cron has no job.\n',
    );
  });
});

// Tracks: R157, PF-d02
Deno.test("createFrontServer() answers no kind of request for a host that is not its own (DNS rebinding)", async () => {
  const reached: string[] = [];
  const proxy: Pick<Proxy, "pass" | "upgrade"> = {
    pass(request, response) {
      reached.push(`${request.method} ${request.url}`);
      response.end("from the worker");
      return Promise.resolve();
    },
    upgrade(request, client) {
      reached.push(`upgrade ${request.url}`);
      client.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    },
  };
  const takeError = createBrowserErrors({
    root: "/nowhere",
    assets: "/nowhere",
    describe: ({ text }) => ({ text, all: text }),
    report: ({ text }) => reached.push(`report ${text}`),
  });
  await withFront(proxy, { takeError }, async (port) => {
    const foreign = [
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "evil-localhost",
      "192.0.2.1",
      "localhost@evil.example",
      "evil.example#localhost",
    ];
    const close = "Connection: close\r\n";
    for (const [what, [line, headers]] of Object.entries(KINDS)) {
      const end = headers.includes("Upgrade") ? "" : close;
      for (const host of foreign) {
        const answer = await ask(port, `${line}\r\nHost: ${host}\r\n${headers}${end}\r\n`);
        assert.match(answer, /^HTTP\/1\.1 403 /, `${what} for ${host}`);
      }
      // An address in place of a path would name another host than the one that is checked.
      const absolute = line.replace(" /", ` http://evil.example/`);
      const answer = await ask(port, `${absolute}\r\nHost: localhost\r\n${headers}${end}\r\n`);
      assert.match(answer, /^HTTP\/1\.1 40[03] /, `${what} by an absolute address`);
    }
    assert.deepEqual(reached, []);
    // The same with its own name.
    for (const what of ["a page", "a form", "an error of a page", "a WebSocket"]) {
      const [line, headers] = KINDS[what]!;
      const end = headers.includes("Upgrade") ? "" : close;
      await ask(port, `${line}\r\nHost: localhost:${port}\r\n${headers}${end}\r\n`);
    }
    assert.deepEqual(reached, ["GET /", "POST /", "report x", "upgrade /socket"]);
  });
});
