// Responses of an application, and requests of clients, that would put two messages of one connection out of step.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import * as zlib from "node:zlib";
import { inMatrix } from "../support/matrix.ts";
import { sendRaw } from "../support/raw_http.ts";
import { buildServer, type ServerRuntime, startServer } from "./built_server.ts";

const TEXT = "A line of text.\n".repeat(40);
const CODINGS = {
  gzip: zlib.gzipSync,
  br: zlib.brotliCompressSync,
  deflate: zlib.deflateSync,
  zstd: zlib.zstdCompressSync,
};
const DECODERS = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  deflate: zlib.inflateSync,
  zstd: zlib.zstdDecompressSync,
};

const files = {
  "app/page.tsx": `export default () => <p>Home</p>;`,
  "app/next/route.ts": `export const GET = () => "the next answer";`,
  "app/passed/[...path]/route.ts": `export const GET = async (request, { env, params }) => {
  const from = await fetch(env.UPSTREAM + params.path, { headers: { "accept-encoding": "gzip, br, deflate, zstd" } });
  return request.headers.has("x-copy") ? new Response(from.body, from) : from;
};`,
  "app/declared/[length]/route.ts": `export const GET = (_request, { params }) => new Response(
  new ReadableStream({
    async start(controller) {
      for (const part of ["0123", "45678"]) {
        controller.enqueue(new TextEncoder().encode(part));
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      controller.close();
    },
  }),
  { headers: { "content-length": params.length } },
);`,
  "app/hop/route.ts":
    `export const GET = () => new Response("0\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n\\r\\n", { headers: {
  "transfer-encoding": "chunked, identity",
  "connection": "close, x-private",
  "keep-alive": "timeout=9999",
  "upgrade": "websocket",
  "trailer": "x-late",
  "x-private": "1",
  "x-public": "1",
} });`,
  "app/control/route.ts":
    `export const GET = () => new Response("never", { headers: { "x-first": "1", "x-control": "a\u0001b" } });`,
  "app/nothing/route.ts":
    `export const GET = () => new Response(null, { headers: { "content-length": "50" } });`,
  "app/failing/route.ts": `export const GET = () => new Response(new ReadableStream({
  pull() { throw new Error("failed at once"); },
}), { headers: { "x-of-application": "1", "content-length": "5" } });`,
  "app/network/route.ts": `export const GET = () => Response.error();`,
  "app/part/route.ts": `export const POST = async (request) => {
  const reader = request.body.getReader();
  const { value } = await reader.read();
  return "read " + (value.length > 0);
};
export const bodyLimit = "100 MB";`,
  "app/late/route.ts": `export const bodyLimit = "100 MB";
export const POST = (request, { waitUntil }) => {
  waitUntil(new Promise((resolve) => setTimeout(resolve, 100)).then(() => request.text())
    .then((text) => console.log("read late: " + text.length), (error) => console.log("refused: " + error.message)));
  return "answered";
};`,
};

/** The body of a response after its own coding is decoded, which `fetch()` would do in its own manner. */
async function readBody(port: number, path: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers, agent: false }, resolve).on("error", reject);
  });
  const bytes = await buffer(response);
  const coding = response.headers["content-encoding"] as keyof typeof DECODERS | undefined;
  return coding === undefined ? bytes.toString() : DECODERS[coding](bytes).toString();
}

/** A server whose answers have other headers than bodies. */
function startUpstream(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const coding = new URL(request.url).pathname.slice(1) as keyof typeof CODINGS;
    const encode = CODINGS[coding];
    if (encode === undefined) return new Response(TEXT);
    const body = encode(TEXT);
    return new Response(body, {
      headers: { "content-encoding": coding, "content-length": String(body.length) },
    });
  });
}

for (const runtime of ["Node 22", "Node 24", "Deno"] as ServerRuntime[]) {
  if (runtime !== "Node 22" && !inMatrix) continue;
  Deno.test({
    name: `no message of a built server ends elsewhere than it says: ${runtime}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (test) => {
      await using upstream = startUpstream();
      await using app = await buildServer(runtime, files);
      const UPSTREAM = `http://127.0.0.1:${upstream.addr.port}/`;
      await using server = await startServer(runtime, app, { UPSTREAM });
      const line = "HTTP/1.1\r\nHost: app.example\r\n";
      const next = `GET /next ${line}Connection: close\r\n\r\n`;
      const ask = (target: string, lines = "") =>
        sendRaw(server.port, `GET ${target} ${line}${lines}\r\n${next}`);

      // Tracks: R193
      await test.step("a response that is passed on has the headers of its own body", async () => {
        for (const coding of [...Object.keys(CODINGS), "none"]) {
          for (const lines of ["", "X-Copy: 1\r\n"]) {
            const { text } = await ask(`/passed/${coding}`, lines);
            assert.match(text, /HTTP\/1\.1 200[^]*\r\n\r\n[^]*HTTP\/1\.1 200[^]*the next answer/);
            const headers = { host: "app.example", ...lines && { "x-copy": "1" } };
            const body = await readBody(server.port, `/passed/${coding}`, headers);
            assert.equal(body, TEXT, `${coding} ${lines}`);
          }
        }
      });

      // Tracks: R193
      await test.step("a body of another length than it declares ends the connection", async () => {
        assert.match((await ask("/declared/9")).text, /012345678HTTP\/1\.1 200[^]*the next answer/);
        for (const length of ["4", "6", "8", "10", "3000"]) {
          const { text } = await ask(`/declared/${length}`);
          assert.doesNotMatch(text, /the next answer/, length);
          const body = text.split("\r\n\r\n")[1] ?? "";
          assert.ok(body.length <= Number(length), `${length}: ${text}`);
        }
        assert.match((await ask("/declared/2")).text, /^HTTP\/1\.1 500[^]*the next answer/);
        for (const length of ["9x", "-9", "0x9", "9, 9", "1e1"]) {
          const { text } = await ask(`/declared/${encodeURIComponent(length)}`);
          assert.match(text, /transfer-encoding: chunked[^]*\r\n0\r\n\r\nHTTP\/1\.1 200/i, length);
          assert.doesNotMatch(text, /content-length: (?!15\r)/i);
        }
        assert.match(server.child.output(), /body of a response is (longer|shorter) than its/);
        const { text } = await ask("/nothing");
        assert.match(text, /content-length: 0\r\n[^]*the next answer/i);
      });

      // Tracks: R193
      await test.step("headers of another connection are not written to this one", async () => {
        const { text } = await ask("/hop");
        const [head = ""] = text.split("\r\n\r\n");
        assert.match(head, /x-public: 1/);
        assert.doesNotMatch(head, /identity|x-private|9999|upgrade|trailer|connection: close/i);
        assert.match(text, /\r\n0\r\n\r\nHTTP\/1\.1 200[^]*the next answer/);
      });

      await test.step("what cannot be sent is a 500, and the connection goes on", async () => {
        for (const path of ["/control", "/failing", "/network"]) {
          const { text } = await ask(path);
          assert.match(text, /^HTTP\/1\.1 500[^]*the next answer/, path);
          assert.doesNotMatch(text, /x-first|x-of-application/);
        }
        assert.match(
          server.child.output(),
          /x-control[^]*failed at once|failed at once[^]*x-control/,
        );
      });

      // Tracks: R193
      await test.step("a body that was read in part is no part of the next request", async () => {
        const post = (path: string, size: number) => {
          const head =
            `POST ${path} ${line}Sec-Fetch-Site: same-origin\r\nContent-Length: ${size}\r\n\r\n`;
          return sendRaw(
            server.port,
            Buffer.concat([Buffer.from(head), Buffer.alloc(size), Buffer.from(next)]),
          );
        };
        for (const path of ["/part", "/next", "/late", "/nowhere"]) {
          assert.match((await post(path, 1_000_000)).text, /^HTTP[^]*the next answer/, path);
        }
        // More than that is not read for nobody.
        const { text } = await post("/part", 20_000_000);
        assert.doesNotMatch(text, /the next answer/);
        await server.child.waitFor(/read late: 1000000|refused: /, 5);
        assert.match(server.child.output(), /refused: .*after its response/);
      });

      await test.step("and does not keep it from ending", async () => {
        assert.equal(await server.child.stop(), 0);
      });
    },
  });
}
