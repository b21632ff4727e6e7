import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "../support/child.ts";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { processesIn, startFramework, startLimited, stepsInOrder, until } from "./framework.ts";
import { sendRaw } from "../support/raw_http.ts";
import { openWebSocket } from "../support/web_socket.ts";

const files = {
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB", database_name: "fixture", database_id: "fixture-id" }],
    queues: {
      producers: [{ binding: "MAILS", queue: "mails" }],
      consumers: [{ queue: "mails", max_batch_timeout: 0 }],
    },
    triggers: { crons: ["0 3 * * *"] },
  }),
  "app/page.tsx": "export default () => <p>first</p>;",
  "app/_told.ts": "export const told: string[] = [];",
  "app/told/route.ts": `import { told } from "../_told.ts";
export const GET = () => told;
export const POST = async (request: Request, { env }) => void await env.MAILS.send(await request.json());`,
  "app/queues/mails.ts": `import { told } from "../_told.ts";
export function queue(messages) {
  for (const message of messages) {
    if (message.body === "again" && message.attempts === 1) message.retry();
    else told.push(message.body + " " + message.attempts);
  }
}`,
  "app/cron/nightly.ts": `import { told } from "../_told.ts";
export const schedule = "0 3 * * *";
export const scheduled = ({ cron }) => void told.push(cron);`,
  "app/slow/loading.tsx": "export default () => <p>Please wait</p>;",
  "app/slow/page.tsx": `import { told } from "../_told.ts";
export default async () => {
  while (!told.includes("seen 1")) await new Promise((resolve) => setTimeout(resolve, 10));
  return <p>Ready at last</p>;
};`,
  "app/api/route.ts": `export function GET(request: Request, { env }) {
  const response = Response.json({
    url: request.url, headers: Object.fromEntries(request.headers), secret: env.SECRET,
  });
  response.headers.append("set-cookie", "a=1");
  response.headers.append("set-cookie", "b=2");
  return response;
}
export async function POST(request: Request) {
  return { length: (await request.text()).length };
}`,
  "app/refuses/route.ts": `export const bodyLimit = "8 MB";
export function POST() {
  return new Response("too much", { status: 413 });
}`,
  "app/fails/route.ts": 'export function GET() {\n  throw new Error("on purpose");\n}',
  "app/table/route.ts": `export async function GET(_request, { env }) {
  await env.DB.prepare("CREATE TABLE IF NOT EXISTS kept (n INTEGER)").run();
  await env.DB.prepare("INSERT INTO kept VALUES (1)").run();
  return await env.DB.prepare("SELECT count(*) AS count FROM kept").first();
}`,
  "app/echo/route.ts": `export function GET() {
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.addEventListener("message", ({ data }) => server.send("echo " + data));
  return new Response(null, { status: 101, webSocket: client });
}`,
  "public/styles.css": "body { margin: 0 }",
  "public/.env": "SECRET=1",
  ".dev.vars": 'SECRET="from .dev.vars"',
};

interface DevServer {
  child: Child;
  origin: string;
  text(path: string, init?: RequestInit): Promise<string>;
}

async function startDev(app: FixtureApp): Promise<DevServer> {
  const child = startFramework(app.root, "dev", "--port", "0");
  const [, origin] = await child.waitFor(
    /fixture is ready at (http:\S+) \(bindings: DB, MAILS; \d+ ms\)/,
  );
  return {
    child,
    origin: origin!,
    text: async (path, init) => await (await fetch(new URL(path, origin), init)).text(),
  };
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}

/** Nothing may outlive the command: not the driver, not esbuild, not workerd. */
async function assertNoOrphans(app: FixtureApp): Promise<void> {
  await until(() => processesIn(app.root), (found) => found.length === 0);
}

Deno.test("framework dev serves an application while its files change", async (t) => {
  await using app = await createFixtureApp(files);
  const { child, origin, text } = await startDev(app);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const test = stepsInOrder(t);

  await test("pages, routes, static files and secrets are served, at the browser's address", async () => {
    assert.match(await text("/"), /<p>first<\/p>/);
    assert.equal(await text("/styles.css"), "body { margin: 0 }");
    const response = await fetch(new URL("/api?a=%20b", origin), {
      headers: { "mf-original-url": "http://evil.example/", "cf-connecting-ip": "192.0.2.1" },
    });
    const { url, secret, headers } = await response.json();
    assert.equal(url, `${origin}/api?a=%20b`);
    assert.equal(secret, "from .dev.vars");
    assert.match(headers["cf-connecting-ip"], /^(127\.0\.0\.1|::1)$/);
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    const body = "x".repeat(300_000);
    const posted = await fetch(new URL("/api", origin), {
      method: "POST",
      headers: { origin },
      body,
    });
    assert.deepEqual(await posted.json(), { length: 300_000 });
    for (let round = 0; round < 5; round++) {
      const unread = await fetch(new URL("/refuses", origin), {
        method: "POST",
        headers: { origin },
        body: "x".repeat(5_000_000),
      });
      assert.deepEqual([unread.status, await unread.text()], [413, "too much"]);
    }
    assert.deepEqual(JSON.parse(await text("/table")), { count: 1 });
    assert.ok(existsSync(join(app.root, ".wrangler/state/v3/d1")));
  });

  // Tracks: A-20
  await test("secrets that lie in public/ are not served", async () => {
    const hidden = await fetch(`${origin}/.env`);
    assert.equal(hidden.status, 404);
    assert.match(await hidden.text(), /^public\/\.env is not served, nor built/);
  });

  // Tracks: R157, PF-d02
  await test("its own host names are answered and no others", async () => {
    const port = portOf(origin);
    const ask = async (head: string): Promise<string> => {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(new TextEncoder().encode(`${head}\r\nConnection: close\r\n\r\n`));
      return (await new Response(connection.readable).text()).split("\r\n")[0]!;
    };
    assert.match(await ask("GET / HTTP/1.1\r\nHost: app.localhost"), / 200 /);
    assert.match(await ask("GET / HTTP/1.1\r\nHost: evil.example"), / 403 /);
    const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
    for (const [host, status] of [["evil.example", 403], ["app.localhost", 101]] as const) {
      const head = `GET /echo HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n${upgrade}`;
      assert.equal((await sendRaw(port, `${head}\r\n\r\n`)).status, status);
    }
    assert.match(await ask("GET http://evil.example/ HTTP/1.1\r\nHost: localhost"), / 40[03] /);
    assert.match(await ask("GET /../../package.json HTTP/1.1\r\nHost: localhost"), / 404 /);
  });

  // Tracks: R071
  await test("web sockets are connected with the worker, for the application's own pages", async () => {
    const address = new URL("/echo", origin.replace("http", "ws"));
    const foreign = openWebSocket(address, { origin: "http://evil.localhost" });
    await new Promise<void>((resolve, reject) => {
      foreign.onerror = () => resolve();
      foreign.onopen = () => reject(new Error("Another site's page is connected."));
    });
    const socket = openWebSocket(address, { origin });
    const answer = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send("hello");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => reject(new Error("The socket failed."));
    });
    assert.equal(answer, "echo hello");
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });

  await test("queues and cron jobs run by their files, and no other site's page can run a handler", async () => {
    const told = async (): Promise<string[]> => JSON.parse(await text("/told"));
    for (const body of ['"once"', '"again"']) {
      const headers = { origin, "content-type": "application/json" };
      await text("/told", { method: "POST", headers, body });
    }
    await until(told, (list) => list.includes("once 1") && list.includes("again 2"));
    const due = new URL("/cdn-cgi/handler/scheduled?cron=0+3+*+*+*", origin);
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://a.example" }]) {
      const refused = await fetch(due, { headers });
      await refused.body?.cancel();
      assert.equal(refused.status, 403);
    }
    assert.ok(!(await told()).includes("0 3 * * *"));
    assert.equal(await text(due.href), "ok");
    assert.ok((await told()).includes("0 3 * * *"));
  });

  await test("a page with loading.tsx arrives in parts", async () => {
    // Compression would hold the parts back until they fill a block.
    const headers = { accept: "text/html", "accept-encoding": "identity" };
    const { body } = await fetch(new URL("/slow", origin), { headers });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let shown = "";
    while (!shown.includes("Please wait")) {
      shown += (await reader.read()).value ?? assert.fail(shown);
    }
    assert.doesNotMatch(shown, /Ready at last/);
    const sent = { origin, "content-type": "application/json" };
    await text("/told", { method: "POST", headers: sent, body: '"seen"' });
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      shown += part.value;
    }
    assert.match(shown, /<p>Ready at last<\/p>/);
  });

  // Tracks: AB-18
  await test("an error of the application is logged with its request id and its place", async () => {
    const { requestId, message } = JSON.parse(await text("/fails"));
    assert.match(message, /^app\/fails\/route\.ts:2:9 Error: on purpose\n/);
    assert.doesNotMatch(message, /worker\d*\.js/);
    const pattern = new RegExp(
      `\\[${requestId}\\] GET /fails failed\\. Error: on purpose\\n.*app/fails/route\\.ts:2:9`,
    );
    await child.waitFor(pattern);
  });

  await test("every kind of save is followed, and local data is kept", async () => {
    await app.write("app/page.tsx", "export default () => <p>second</p>;");
    await until(() => text("/"), (body) => body.includes("second"));

    // As editors save that write beside the file and rename: what they wrote beside it is not worth a word.
    await app.write("app/sedQ1x", "export default () => <p>third</p>;");
    await Deno.rename(join(app.root, "app/sedQ1x"), join(app.root, "app/page.tsx"));
    await until(() => text("/"), (body) => body.includes("third"));
    assert.doesNotMatch(child.output(), /sedQ1x/);

    await app.write("app/new/page.tsx", "export default () => <p>new page</p>;");
    await until(() => text("/new"), (body) => body.includes("new page"));

    await app.write("lib/words.ts", 'export const word = "from lib";');
    await app.write(
      "app/page.tsx",
      'import { word } from "../lib/words.ts"; export default () => word;',
    );
    await until(() => text("/"), (body) => body.includes("from lib"));
    await app.write("lib/words.ts", 'export const word = "lib changed";');
    await until(() => text("/"), (body) => body.includes("lib changed"));

    await app.write("public/late.css", "p {}");
    await until(() => text("/late.css"), (body) => body === "p {}");

    await app.write(".dev.vars", "SECRET=changed");
    await until(() => text("/api"), (body) => body.includes('"secret":"changed"'));

    await app.remove("app/new");
    await until(() => text("/new"), (body) => !body.includes("new page"));

    assert.deepEqual(JSON.parse(await text("/table")), { count: 2 });
  });

  // Tracks: F42
  await test("what is broken is shown, in the terminal and the browser, until it is mended", async () => {
    await app.write("app/page.tsx", "export default () => <p>;\n");
    await child.waitFor(/app\/page\.tsx:\d+:\d+ .*\n +\d \| /);
    const page = await fetch(origin, { headers: { accept: "text/html" } });
    assert.equal(page.status, 500);
    assert.match(await page.text(), /<pre>app\/page\.tsx:\d+:\d+ /);
    await app.write("app/page.tsx", "export default () => <p>mended</p>;");
    await until(() => text("/"), (body) => body.includes("mended"));

    await app.write("app/page.tsx", "export const loader = () => null;");
    await until(() => text("/"), (body) => body.includes("app/page.tsx has no default export"));
    await app.write("app/page.tsx", "throw new Error('at the start'); export default () => 1;");
    await until(
      () => text("/"),
      (body) =>
        /app\/page\.tsx:1:7 The worker did not start: .*at the start\n.* \| throw/.test(body),
    );
    await app.write("app/route.ts", "export const GET = () => 1;");
    await until(() => text("/"), (body) => body.includes("both answer /"));
    await app.remove("app/route.ts");
    await app.write("wrangler.jsonc", '{ "name": ');
    await until(() => text("/"), (body) => body.includes("wrangler.jsonc:1:"));
  });

  await test("an interruption ends it and all that it has started", async () => {
    assert.equal(await child.stop(), 130);
    await assertNoOrphans(app);
  });
});

Deno.test("framework dev listens where it was told to, and bears what its machine does to it", async (t) => {
  await using app = await createFixtureApp(files);
  await using cleanup = new AsyncDisposableStack();
  using taken = Deno.listen({ hostname: "::1", port: 0 });
  const { port } = taken.addr;
  const test = stepsInOrder(t);
  let child: Child;
  let origin = "";
  const text = async (path: string): Promise<string> =>
    await (await fetch(new URL(path, origin))).text();

  // Tracks: F42
  await test("framework dev takes the next port, unless exactly one was asked for", async () => {
    const exact = await framework(app.root, "dev", "--host", "::1", "--port", String(port));
    assert.equal(exact.code, 1);
    assert.match(exact.stderr, new RegExp(`Port ${port} is already in use`));

    await app.write("framework.config.ts", `export default { dev: { port: ${port} } };`);
    // The soft limit, which the runtime raises as far as it may.
    child = Deno.build.os === "windows"
      ? startFramework(app.root, "dev", "--host", "::1")
      : startLimited(app.root, 64, "--host", "::1");
    cleanup.defer(async () => void await child.stop());
    await child.waitFor(new RegExp(`Port ${port} is in use; serving on \\d+ instead`));
    origin = (await child.waitFor(/ready at (http:\/\/\[::1\]:\d+)/))[1]!;
    assert.ok(portOf(origin) > port);
  });

  // Tracks: F42
  await test("framework dev listens on IPv6 alone, and survives thousands of files that come at once", async () => {
    const home = (): Promise<string> => text("/");
    assert.match(await home(), /<p>first<\/p>/);
    await Deno.mkdir(join(app.root, "app/_data"));
    for (let index = 0; index < (inMatrix ? 10_000 : 2_000); index++) {
      Deno.writeTextFileSync(join(app.root, `app/_data/${index}.txt`), "");
    }
    await app.write("app/page.tsx", "export default () => <p>second</p>;");
    await until(home, (body) => body.includes("second"));
    await app.remove("app/_data");
    await app.write("app/page.tsx", "export default () => <p>third</p>;");
    await until(home, (body) => body.includes("third"));
  });

  // Tracks: F42
  await test(
    "framework dev serves on after more connections than the shell lets files be open",
    async () => {
      const port = portOf(origin);
      const connections: Deno.Conn[] = [];
      for (let count = 0; count < 150; count++) {
        connections.push(await Deno.connect({ hostname: "::1", port }));
      }
      assert.match(await text("/"), /<p>third<\/p>/);
      for (const connection of connections) connection.close();
      await app.write("app/page.tsx", "export default () => <p>fourth</p>;");
      await until(() => text("/"), (body) => body.includes("fourth"));
    },
    { ignore: Deno.build.os === "windows" },
  );

  // Tracks: R157, F41
  await test(
    "framework dev leaves nothing behind when it is killed",
    async () => {
      assert.deepEqual(JSON.parse(await text("/table")), { count: 1 });
      assert.ok(processesIn(app.root).length >= 3);
      Deno.kill(child.pid, "SIGKILL");
      await child.stop();
      await assertNoOrphans(app);
      const port = portOf(origin);
      using free = Deno.listen({ hostname: "::1", port });
      assert.ok(free.addr.port > 0, "the port is free again");
    },
    { ignore: Deno.build.os !== "linux" },
  );

  // Tracks: SP-W13, F41
  await test(
    "framework dev --quiet prints the address, which nobody knows of --port 0, and has what was written before it was killed",
    async () => {
      const next = startFramework(app.root, "dev", "--port", "0", "--quiet");
      cleanup.defer(async () => void await next.stop());
      const [, address] = await next.waitFor(/^(http:\/\/localhost:\d+)$/m);
      assert.equal(await (await fetch(`${address}/table`)).text(), '{"count":2}');
      assert.equal(await next.stop(), 130);
      await assertNoOrphans(app);
    },
    { ignore: Deno.build.os !== "linux" },
  );
});
