import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AddressOptions, createAddressRule } from "../../cli/server/address.ts";
import { capture } from "../../scripts/run_command.ts";
import { startChild } from "../support/child.ts";
import { framework } from "../support/command_line.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes } from "../support/node.ts";
import { sendRaw } from "../support/raw_http.ts";
import {
  buildServer,
  nodeOf,
  serve,
  type ServerRuntime,
  startProgram,
  startServer,
} from "./built_server.ts";
import { createFixtureApp } from "./fixture_app.ts";

const processes = { sanitizeOps: false, sanitizeResources: false };

const files = {
  "app/layout.tsx": `import type { LayoutProps } from "@framework/cli/runtime";
export default function Layout({ children }: LayoutProps) {
  return <html><head></head><body>{children}</body></html>;
}`,
  "app/page.tsx": `export default () => <p>Home</p>;`,
  "app/echo/route.ts": `export const GET = (request: Request) => ({
  url: request.url,
  client: request.headers.get("cf-connecting-ip"),
  headers: [...request.headers.keys()],
});
export const POST = async (request: Request) => ({ size: (await request.bytes()).length });`,
  "app/slow/route.ts": `export async function GET(_request: Request, { env, waitUntil }) {
  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  console.log("begun");
  await pause(300);
  waitUntil(pause(300).then(async () => {
    await env.DB.prepare("SELECT 1").first();
    console.log("done behind it");
  }));
  return "answered";
}`,
  "app/big/route.ts": `export const GET = () => new Response(new Uint8Array(50_000_000));`,
  "app/first/route.ts": `export const GET = () => new Response(new ReadableStream({
  start(controller) {
    setTimeout(() => controller.enqueue(new TextEncoder().encode("late")), 60_000);
  },
}));`,
  "app/raw/route.ts": `export const GET = (_request: Request, { env }) =>
  env.DB.prepare("SELECT 1 AS a, 2 AS a").raw({ columnNames: true });`,
  "app/late/route.ts": `export const GET = () => {
  Promise.reject(new Error("nobody handles it"));
  return "fine";
};`,
  "public/file.txt": "0123456789",
  "public/about.html": "<p>About",
  "public/guide/index.html": "<p>Guide",
  "public/_headers": "/file.txt\n  x-own: yes\n  ! x-content-type-options\n",
};

function head(target: string, lines: string[] = ["Host: app.example"]): string {
  return [`GET ${target} HTTP/1.1`, ...lines, "Connection: close", "", ""].join("\r\n");
}

for (const runtime of ["Node 22", "Node 24", "Deno"] as ServerRuntime[]) {
  if (runtime === "Node 22" || inMatrix) {
    Deno.test({
      name: `a built server withstands what comes over a socket: ${runtime}`,
      ...processes,
      fn: async (test) => {
        await using app = await buildServer(runtime, files);
        await using server = await startServer(runtime, app);
        const ask = (target: string, lines?: string[]) => sendRaw(server.port, head(target, lines));

        // Tracks: R193
        await test.step("no host but its own, in no form but a host's", async () => {
          for (
            const [status, ...lines] of [
              [200, "Host: app.example"],
              [200, "Host: APP.example:443"],
              [400],
              [421, "Host:"],
              [421, "Host: evil.example"],
              [421, "Host: app.example:8443"],
              [421, "Host: app.example."],
              [421, "Host: app.example@evil.example"],
              [421, "Host: app.example/x"],
              [421, "Host: app.example#"],
              [421, "Host: app.example, evil.example"],
              [421, "Host: 0x7f.1"],
              [421, "Host: app.example", "Host: app.example"],
              [421, "Host: evil.example", "X-Forwarded-Host: app.example"],
            ] as [number, ...string[]][]
          ) {
            assert.equal((await ask("/echo", lines)).status, status, lines.join("; "));
          }
          assert.equal((await ask("/healthz", ["Host: 10.0.0.7:8080"])).status, 200);
        });

        await test.step("no target but a path", async () => {
          for (
            const target of [
              "http://evil.example/echo",
              "http://app.example/echo",
              "*",
              "echo",
              "/a\\..\\echo",
              "/file.txt%00.html",
              "/echo#x",
            ]
          ) {
            assert.equal((await ask(target)).status, 400, target);
          }
          const double = await ask("//evil.example/%2e%2e");
          assert.doesNotMatch(double.text, /location: \/\/evil|location: https?:\/\/evil/i);
        });

        await test.step("methods and headers that a server may stumble over", async () => {
          const line = "HTTP/1.1\r\nHost: app.example";
          for (
            const [status, message] of [
              [501, `TRACE /echo ${line}\r\nConnection: close\r\n\r\n`],
              [0, `CONNECT app.example:443 ${line}\r\n\r\n`],
              [200, `GET /echo ${line}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
              [417, `GET /echo ${line}\r\nExpect: nonsense\r\nConnection: close\r\n\r\n`],
              [421, "GET /echo HTTP/1.0\r\n\r\n"],
              [400, "\x16\x03\x01\x00\xa5\x01\x00"],
              [431, `GET /${"a".repeat(20_000)} ${line}\r\n\r\n`],
            ] as const
          ) {
            assert.equal(
              (await sendRaw(server.port, message)).status,
              status,
              message.slice(0, 99),
            );
          }
          const hidden = `GET /echo ${line}\r\nContent-Length: 5\r\n\r\nhello${head("/echo?next")}`;
          assert.match((await sendRaw(server.port, hidden)).text, /200 OK[^]*200 OK[^]*echo\?next/);
        });

        // Tracks: R193
        await test.step("files of one folder, by no spelling those beside it", async () => {
          for (
            const target of [
              "/../server.js",
              "/%2e%2e/server.js",
              "/%2e%2e%2fserver.js",
              "/..%2fserver.js",
              "/..%5cserver.js",
              "/%252e%252e%252fserver.js",
              "/assets/../server.js",
              "/guide/..%2f..%2fserver.js",
              "/_headers",
              "/%5fheaders",
              "//file.txt/../../server.js",
              "/package.json",
              "/migrations/0001_auth.sql",
            ]
          ) {
            const { status, text } = await ask(target);
            assert.equal(status, 404, `${target}: ${text.slice(0, 200)}`);
            assert.doesNotMatch(text, /runServer|CREATE TABLE|x-own|"module"/);
          }
        });

        await test.step("files with validators, ranges, their own headers and addresses without .html", async () => {
          const file = await ask("/file.txt");
          assert.match(file.text, /x-own: yes/);
          assert.doesNotMatch(file.text, /nosniff/);
          assert.match(file.text, /0123456789$/);
          const etag = /etag: (\S+)/.exec(file.text)![1]!;
          const again = await ask("/file.txt", ["Host: app.example", `If-None-Match: W/${etag}`]);
          assert.deepEqual([again.status, /0123456789/.test(again.text)], [304, false]);
          for (
            const [range, status, body] of [
              ["bytes=2-4", 206, "234"],
              ["bytes=7-", 206, "789"],
              ["bytes=-2", 206, "89"],
              ["bytes=4-2", 200, "0123456789"],
              ["bytes=0-1,3-4", 200, "0123456789"],
              ["bytes=10-", 416, ""],
              ["bytes=-0", 416, ""],
            ] as const
          ) {
            const reply = await ask("/file.txt", ["Host: app.example", `Range: ${range}`]);
            assert.equal(reply.status, status, range);
            assert.equal(reply.text.split("\r\n\r\n")[1], body, range);
          }
          const places = await Promise.all(
            ["/about", "/about.html", "/about/", "/guide", "/guide/", "/guide/index.html?a=1"].map(
              async (path) => {
                const { status, text } = await ask(path);
                return [status, /location: (\S+)/.exec(text)?.[1] ?? null];
              },
            ),
          );
          assert.deepEqual(places, [
            [200, null],
            [307, "/about"],
            [307, "/about"],
            [307, "/guide/"],
            [200, null],
            [307, "/guide/?a=1"],
          ]);
        });

        // Tracks: R193
        await test.step("no proxy is believed that is not trusted", async () => {
          const { text } = await ask("/echo", [
            "Host: app.example",
            "X-Forwarded-For: 192.0.2.7",
            "X-Forwarded-Proto: http",
            "X-Real-IP: 192.0.2.7",
            "Forwarded: for=192.0.2.7",
            "CF-Connecting-IP: 192.0.2.7",
            "CF-IPCountry: BE",
          ]);
          assert.match(text, /"url":"https:\/\/app\.example\/echo","client":"127\.0\.0\.1"/);
          assert.doesNotMatch(text, /forwarded|real-ip|ipcountry/i);
        });

        // Tracks: R193, A-05
        await test.step("no header is hidden behind as many as the server keeps", async () => {
          const fill = (count: number) => Array<string>(count).fill("A: b");
          // Host, Connection and X-Last stand beside them.
          for (
            const [count, status] of [[996, 200], [997, 431], [998, 431], [1100, 431], [3000, 431]]
          ) {
            const lines = ["Host: app.example", ...fill(count!), "X-Last: 1"];
            const { status: found, text } = await ask("/echo", lines);
            assert.equal(found, status, `${count}`);
            assert.equal(text.includes('"x-last"'), status === 200, `${count}`);
          }
          const second = ["Host: app.example", ...fill(1000), "Host: evil.example"];
          assert.equal((await ask("/echo", second)).status, 431);
        });

        // Tracks: R193
        await test.step("a client that waits for leave is asked for a body that is read, and for no other", async () => {
          const post = (lines: string[], body = "") =>
            sendRaw(
              server.port,
              [
                "POST /echo HTTP/1.1",
                "Host: app.example",
                "Expect: 100-continue",
                ...lines,
                "",
                body,
              ]
                .join("\r\n"),
            );
          const own = "Sec-Fetch-Site: same-origin";
          const cross = "Sec-Fetch-Site: cross-site";
          for (
            const [status, lines] of [
              [413, [own, "Content-Length: 2000000"]],
              [403, [cross, "Content-Length: 5"]],
              [403, [cross, "Transfer-Encoding: chunked"]],
            ] as [number, string[]][]
          ) {
            const { status: found, text } = await post(lines);
            assert.equal(found, status, text);
            // Nobody may take its next request for the body.
            assert.match(text, /^connection: close\r$/im);
          }
          const taken = await post([own, "Content-Length: 5", "Connection: close"], "hello");
          assert.match(taken.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[^]*"size":5/);
        });

        // Tracks: R193
        await test.step("requests that disagree about their length, and headers that are too long", async () => {
          const post = (lines: string[], body: string) =>
            sendRaw(
              server.port,
              ["POST /echo HTTP/1.1", "Host: app.example", ...lines, "Connection: close", "", body]
                .join("\r\n"),
            );
          const both = ["Content-Length: 3", "Transfer-Encoding: chunked"];
          for (
            const lines of [both, ["Content-Length: 3", "Content-Length: 4"], [
              "Transfer-Encoding: chunked, identity",
            ], ["Content-Length: -1"]]
          ) {
            assert.equal((await post(lines, "0\r\n\r\n")).status, 400, lines.join("; "));
          }
          for (
            const coding of ["gzip, chunked", "gzip,chunked", "identity, chunked", "x, Chunked"]
          ) {
            const coded = await post([`Transfer-Encoding: ${coding}`], "2\r\nab\r\n0\r\n\r\n");
            assert.equal(coded.status, 501, coding);
          }
          const long = await ask("/echo", ["Host: app.example", `X-Long: ${"a".repeat(17_000)}`]);
          assert.equal(long.status, 431);
          const pipelined = await sendRaw(
            server.port,
            "GET /slow HTTP/1.1\r\nHost: app.example\r\n\r\n" + head("/echo?second"),
          );
          assert.match(pipelined.text, /answered[^]*HTTP\/1\.1 200 OK[^]*second/);
        });

        // Tracks: R193
        await test.step("400 half bodies and 200 half heads keep nobody else waiting", async () => {
          const half = [
            "POST /echo HTTP/1.1\r\nHost: app.example\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 10\r\n\r\nabc",
            "GET /echo HTTP/1.1\r\nHost: app.example\r\nX-Slow: ",
            // Refused before its body is there.
            "POST /echo HTTP/1.1\r\nHost: app.example\r\nContent-Length: 10\r\n\r\nabc",
          ];
          const held = await Promise.all(Array.from({ length: 600 }, async (_, index) => {
            const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
            await connection.write(new TextEncoder().encode(half[index % 3]));
            return connection;
          }));
          try {
            const started = performance.now();
            assert.equal((await ask("/echo")).status, 200);
            if (!inMatrix) return;
            const idle = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
            held.push(idle);
            await idle.write(new TextEncoder().encode(head("/big")));
            // A head has 10 seconds, a body 30 between two of its parts, and 10 when it is answered.
            const ends = await Promise.all(
              held.slice(0, 600).map(async (connection) => {
                const buffer = new Uint8Array(1000);
                while (await connection.read(buffer).catch(() => null) !== null);
                return performance.now() - started;
              }),
            );
            const last = (rest: number) => Math.max(...ends.filter((_, at) => at % 3 === rest));
            assert.ok(last(1) < 20_000, `heads: ${last(1)}`);
            assert.ok(last(0) > 25_000 && last(0) < 45_000, `bodies: ${last(0)}`);
            assert.ok(last(2) < 20_000, `refused: ${last(2)}`);
            assert.doesNotMatch(server.child.output(), /Error/, "clients' faults are not logged");
            // And who takes nothing of an answer has a minute.
            await new Promise((resolve) => setTimeout(resolve, 40_000));
            let taken = 0;
            const buffer = new Uint8Array(1_000_000);
            for (;;) {
              const count = await idle.read(buffer).catch(() => null);
              if (count === null) break;
              taken += count;
            }
            assert.ok(taken < 50_000_000, String(taken));
          } finally {
            for (const connection of held) connection.close();
          }
        });

        await test.step("a head is sent before the first part of its body", async () => {
          assert.equal((await ask("/first")).status, 200);
        });

        await test.step("columns of one name, and what nobody handles", async () => {
          const { text } = await ask("/raw");
          if (runtime !== "Node 22") assert.match(text, /\[\["a","a"\],\[1,2\]\]/);
          // The oldest release has no way to tell them apart, and nothing is lost in silence.
          else assert.match(server.child.output(), /raw\(\) of the database requires Node 22\.16/);
          assert.equal((await ask("/late")).status, 200);
          assert.equal((await ask("/late")).status, 200);
          assert.match(server.child.output(), /nobody handles it/);
        });

        // Tracks: R193
        await test.step("told to end, it answers what has begun, and what goes on behind it", async () => {
          const idle = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
          if (inMatrix) {
            // Of this one nobody knows when it comes: it has five seconds.
            await idle.write(new TextEncoder().encode(
              "POST /echo HTTP/1.1\r\nHost: app.example\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 9\r\n\r\nabc",
            ));
          }
          const answer = ask("/slow");
          await server.child.waitFor(/begun[^]*begun/, 5);
          const ended = server.child.stop();
          assert.match((await answer).text, /answered/);
          assert.equal(await ended, 0);
          assert.match(server.child.output(), /done behind it[^]*done behind it/);
          idle.close();
        });
      },
    });
  }

  if (runtime === "Deno" || inMatrix) {
    Deno.test({
      name: `a server believes its own proxies, and says what it lacks: ${runtime}`,
      ...processes,
      fn: async () => {
        await using app = await buildServer(runtime, files);
        const said = async (env: Record<string, string>, ...args: string[]) => {
          const child = await startProgram(runtime, app, { args, env: { PORT: "0", ...env } });
          return [await child.ended, child.output()] as const;
        };
        const own = { BASE_URL: "https://app.example" };
        for (
          const [env, message] of [
            [{}, /Nothing says the address of this server[^]*BASE_URL=https/],
            [{ ...own, PORT: "http" }, /PORT: expected a number/],
            [
              { ...own, DATA_DIR: "wrangler.jsonc" },
              /The folder .*wrangler\.jsonc could not be made: [^]*DATA_DIR/,
            ],
            [{ ...own, IDLE_TIMEOUT: "0" }, /IDLE_TIMEOUT: expected seconds from 1 to 3600/],
            [{ ...own, DRAIN_TIME: "-1" }, /DRAIN_TIME: expected seconds from 0 to 3600/],
            [
              { ...own, DATABASE_STATEMENT_TIMEOUT: "5s" },
              /DATABASE_STATEMENT_TIMEOUT: expected seconds from 0 to 3600, found "5s"/,
            ],
            [
              { ...own, DATABASE_POOL_SIZE: "0" },
              /DATABASE_POOL_SIZE: expected connections from 1/,
            ],
            [own, /lacks 1 migrations: 0001_auth\.sql\.\n.*`migrate`/],
          ] as [Record<string, string>, RegExp][]
        ) {
          const [code, output] = await said(env);
          assert.equal(code, 2, output);
          assert.match(output, message);
        }
        const baseUrl = own.BASE_URL;
        for (
          const [options, message] of [
            [{ baseUrl: "app.example" }, /BASE_URL: "app\.example" is no address of a site/],
            [{ allowedHosts: ["a.example", "http://b"] }, /ALLOWED_HOSTS: "http:\/\/b" is no host/],
            [{ baseUrl, trustedProxies: ["everybody"] }, /TRUSTED_PROXIES: .*trustedProxies\[0\]/],
          ] as [AddressOptions, RegExp][]
        ) assert.throws(() => createAddressRule(options), { exitCode: 2, message });
        if (runtime !== "Deno") {
          const { oldest } = await findNodes();
          const old = await capture(oldest, ["dist/server.js", "migrate"], { cwd: app.root });
          assert.equal(old.code, 2, old.stderr);
          assert.match(old.stderr, /^Error: Node 22\.13 or newer, or Deno, is required/);
        }
        assert.equal((await said({}, "serve"))[0], 1);
        assert.match((await said({}, "migrate")).join(), /^0,Applied 0001_auth\.sql/);
        assert.match((await said({}, "migrate")).join(), /^0,The database is up to date/);

        const port = freePort();
        await using server = await serve(runtime, app, {
          PORT: String(port),
          BASE_URL: `http://localhost:${port}`,
          ALLOWED_HOSTS: "*.app.example",
          TRUSTED_PROXIES: "127.0.0.1",
        });
        const lines = [
          "Host: inner:80",
          "X-Forwarded-Host: a.app.example",
          "X-Forwarded-For: 7.7.7.7",
        ];
        const { text } = await sendRaw(server.port, head("/echo", lines));
        assert.match(text, /"url":"http:\/\/a\.app\.example\/echo","client":"7\.7\.7\.7"/);
        const other = await sendRaw(server.port, head("/echo", ["Host: app.example"]));
        assert.equal(other.status, 421);
        assert.equal((await fetch(`http://localhost:${port}/file.txt`)).status, 200);

        // The command of the container, in a folder that has nothing but what the build wrote.
        const isNode = runtime !== "Deno";
        if (isNode) await app.write("package-lock.json", "{}");
        const generated = await framework(app.root, "generate", "container");
        assert.equal(generated.code, 0, generated.stderr);
        const container = await Deno.readTextFile(join(app.root, "Dockerfile"));
        assert.match(container, isNode ? /^RUN npm ci$/m : /^RUN deno install$/m);
        const [, command] = /^CMD (\[.*\])$/m.exec(container)!;
        const [shell, ...args] = JSON.parse(command!) as string[];
        const folder = await Deno.makeTempDir();
        await cp(join(app.root, "dist"), folder, { recursive: true });
        const program = isNode ? await nodeOf(runtime) : Deno.execPath();
        const inContainer = startChild(shell!, args, {
          cwd: folder,
          env: {
            DATA_DIR: join(folder, "data"),
            PORT: "0",
            BASE_URL: "https://app.example",
            PATH: `${dirname(program)}:${Deno.env.get("PATH")}`,
          },
        });
        await inContainer.waitFor(/Applied 0001/, 30);
        const [, bound] = await inContainer.waitFor(/listens on 0\.0\.0\.0, port (\d+)/, 30);
        assert.equal((await sendRaw(Number(bound), head("/echo"))).status, 200);
        assert.equal(await inContainer.stop(), 0);
        await Deno.remove(folder, { recursive: true });
      },
    });
  }
}

Deno.test(
  "a build for a server refuses what only Workers have, and says what to use",
  processes,
  async () => {
    await using app = await createFixtureApp({
      "app/page.tsx": `export default () => <p>Home</p>;`,
      "public/_redirects": "/a /b",
      "wrangler.jsonc": JSON.stringify({
        name: "fixture",
        compatibility_date: "2026-07-30",
        compatibility_flags: ["nodejs_compat"],
        d1_databases: [{ binding: "DB" }, { binding: "OTHER" }],
        durable_objects: { bindings: [{ name: "ROOM", class_name: "Room" }] },
        services: [{ binding: "API", service: "api" }],
        from_the_future: [{ binding: "NEW" }],
        vectorize: [],
        assets: { not_found_handling: "404-page", run_worker_first: ["/api/*"] },
      }),
    });
    const { code, stderr } = await framework(app.root, "build", "--target", "node");
    assert.equal(code, 2);
    for (
      const expected of [
        /declares durable_objects, which a server does not have/,
        /Keep the state in the database/,
        /declares services, [^]*fetch\(\)/,
        /declares from_the_future/,
        /several databases \(DB, OTHER\); a server has one/,
        /assets\.not_found_handling: .* found "404-page"/,
        /assets\.run_worker_first: .*\["\/api\/\*"\]/,
        /_redirects/,
      ]
    ) assert.match(stderr, expected);
    assert.doesNotMatch(stderr, /vectorize/);

    await app.remove("public");
    await app.write(
      "wrangler.jsonc",
      JSON.stringify({
        name: "fixture",
        compatibility_date: "2026-07-30",
        compatibility_flags: ["nodejs_compat"],
      }),
    );
    await app.write(
      "app/page.tsx",
      `import { env } from "cloudflare:workers";
export default () => <p>{env.NAME}</p>;`,
    );
    const imported = await framework(app.root, "build", "--target", "deno");
    assert.equal(imported.code, 3);
    assert.match(imported.stderr, /app\/page\.tsx[^]*"cloudflare:workers" exists on Workers only/);
  },
);
