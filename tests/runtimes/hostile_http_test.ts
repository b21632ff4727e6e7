import assert from "node:assert/strict";
import { createClient } from "../support/client.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { sendRaw } from "../support/raw_http.ts";
import { serveOnDeno, serveOnNode, serveOnWorkerd, type Server } from "./servers.ts";

/** Parts of a hostile message. */
interface Target {
  host: string;
  /** The session's cookie of somebody who is signed in. */
  cookie: string;
}

/** A message, and who may be signed in by it. */
interface Hostile {
  /** Latin-1, or bytes. */
  message: string | Uint8Array;
  /** True when the cookie in it is whole and alone, so that its owner may be recognized. */
  signedIn?: boolean;
  /** Expected response, if the application answers. */
  status?: number;
}

const NAME = "framework.session-token";

function get(path: string, host: string, ...lines: string[]): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...lines, "Connection: close", "", ""]
    .join("\r\n");
}

function post(host: string, lines: string[], body: string): string {
  return [
    "POST /auth/signin/credentials HTTP/1.1",
    `Host: ${host}`,
    `Origin: http://${host}`,
    ...lines,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

const FORM = "Content-Type: application/x-www-form-urlencoded";
const SESSION = "/auth/session";

const MESSAGES: Record<string, (target: Target) => Hostile> = {
  "two Cookie headers that contradict each other": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie: ${cookie}`, `Cookie: ${NAME}=${"A".repeat(43)}`),
  }),
  "two Cookie headers of which one is foreign": ({ host, cookie }) => ({
    message: get(SESSION, host, "Cookie: a=b", `Cookie: ${cookie}`),
    signedIn: true,
  }),
  "1,000 cookies": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie: ${"a=b; ".repeat(1000)}${cookie}`),
    signedIn: true,
  }),
  "bytes above 0x7F and a NUL in a cookie": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie: a=\xff\xfe\x00; ${cookie}`),
    signedIn: true,
  }),
  "a cookie with a lone carriage return": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie: a=b\r; ${cookie}`),
    signedIn: true,
  }),
  "a folded Cookie header": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie: a=b;\r\n ${cookie}`),
    signedIn: true,
  }),
  "a blank before the colon": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie : ${cookie}`),
    signedIn: true,
  }),
  "a nameless and a prefixed cookie": ({ host }) => ({
    message: get(SESSION, host, `Cookie: =__Host-x=1; ; =; ===; %zz; "; ${NAME}`),
  }),
  "two Host headers": ({ host }) => ({
    message: get("/auth/signin?callbackUrl=//evil.example", host, "Host: evil.example"),
  }),
  "a Host of another site": () => ({ message: get("/auth/signout", "evil.example") }),
  "a Host with a user and a path": ({ host }) => ({
    message: get(SESSION, `${host}@evil.example/x`),
  }),
  // A-11
  "a Host that would take the path's place": ({ host, cookie }) => ({
    message: get("/x", `${host}${SESSION}?`, `Cookie: ${cookie}`),
    status: 400,
  }),
  "a Host with a fragment": ({ host, cookie }) => ({
    message: get("/x", `${host}${SESSION}#`, `Cookie: ${cookie}`),
    status: 400,
  }),
  "a Host with a backslash": ({ host, cookie }) => ({
    message: get("/x", `${host}\\auth\\session?`, `Cookie: ${cookie}`),
    status: 400,
  }),
  "a Host with a blank": ({ host }) => ({ message: get("/", `a ${host}`), status: 400 }),
  "a Host with a port that is none": () => ({ message: get("/", "localhost:99999"), status: 400 }),
  "a Host that is an address of too many numbers": () => ({
    message: get("/", "1.2.3.4.5"),
    status: 400,
  }),
  "an absolute target of another site": ({ host }) => ({
    message: get("http://evil.example/auth/signin", host),
  }),
  "a target that begins with two slashes": ({ host }) => ({
    message: get("//evil.example/auth/session", host),
  }),
  "no Host": () => ({ message: `GET ${SESSION} HTTP/1.1\r\nConnection: close\r\n\r\n` }),
  "HTTP/1.0 without a Host": () => ({ message: `GET ${SESSION} HTTP/1.0\r\n\r\n` }),
  "two Content-Length headers": ({ host }) => ({
    message: post(host, [FORM, "Content-Length: 8", "Content-Length: 4"], "pin=1234"),
  }),
  "Content-Length and Transfer-Encoding": ({ host }) => ({
    message: post(
      host,
      [FORM, "Content-Length: 8", "Transfer-Encoding: chunked"],
      "0\r\n\r\nGET / HTTP/1.1\r\n",
    ),
  }),
  "a chunk size that is none": ({ host }) => ({
    message: post(host, [FORM, "Transfer-Encoding: chunked"], "zz\r\npin=1234\r\n0\r\n\r\n"),
  }),
  "a body that never comes": ({ host }) => ({
    message: post(host, [FORM, "Content-Length: 100"], "pin="),
  }),
  "a body of 10 MiB": ({ host }) => ({
    message: new TextEncoder().encode(post(
      host,
      [FORM, `Content-Length: ${10 * 1024 * 1024}`],
      `pin=${"x".repeat(10 * 1024 * 1024 - 4)}`,
    )),
  }),
  "a body in chunks without an end in sight": ({ host }) => ({
    message: post(
      host,
      [FORM, "Transfer-Encoding: chunked"],
      `${`1000\r\n${"x".repeat(4096)}\r\n`.repeat(256)}0\r\n\r\n`,
    ),
  }),
  "JSON of a million brackets": ({ host }) => ({
    message: post(
      host,
      ["Content-Type: application/json", "Content-Length: 1000000"],
      "[".repeat(1_000_000),
    ),
  }),
  "a target of 16 KiB": ({ host }) => ({ message: get(`/auth/${"x".repeat(16_384)}`, host) }),
  "headers of 130 KB": ({ host }) => ({ message: get(SESSION, host, `X: ${"x".repeat(130_000)}`) }),
  "a Cookie header of 64 KB": ({ host }) => ({
    message: get(SESSION, host, `Cookie: ${NAME}=${"x".repeat(65_536)}`),
  }),
  "an Authorization header with a lone percent sign": ({ host }) => ({
    message: get(SESSION, host, "Authorization: Bearer %"),
  }),
  "a method in lower case": ({ host }) => ({
    message: get("/auth/signout", host).replace("GET", "post"),
  }),
  "TRACE": ({ host, cookie }) => ({
    message: get(SESSION, host, `Cookie: ${cookie}`).replace("GET", "TRACE"),
  }),
  "an unknown method": ({ host, cookie }) => ({
    message: get("/auth/signout", host, `Cookie: ${cookie}`).replace("GET", "PROPFIND"),
  }),
  "no HTTP at all": () => ({ message: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n" }),
};

async function residentMegabytes(pid: number | undefined): Promise<number> {
  if (pid === undefined || Deno.build.os !== "linux") return 0;
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/**
 * Sends everything to a server.
 *
 * @param refused What the runtime itself refuses with 5xx before it reaches the application.
 */
async function attack(
  server: Server,
  test: Deno.TestContext,
  refused: ReadonlySet<string>,
): Promise<void> {
  const client = createClient(server.origin);
  const signedIn = await client.post("/auth/signin/credentials", { pin: "1234" });
  assert.equal(signedIn.status, 303);
  const cookie = `${NAME}=${client.cookies.get(NAME)}`;
  const host = new URL(server.origin).host;
  const before = await residentMegabytes(server.pid);
  for (const [name, hostile] of Object.entries(MESSAGES)) {
    await test.step(name, async () => {
      const { message, signedIn = false, status: expected } = hostile({ host, cookie });
      const { status, text } = await sendRaw(server.port, message);
      if (expected !== undefined && !refused.has(name)) assert.equal(status, expected, text);
      assert.doesNotMatch(text, /set-cookie: framework\.session-token=[\w-]{43};/i, "signed in");
      if (!signedIn) assert.doesNotMatch(text, /"id":"ada"/, "recognised");
      assert.doesNotMatch(text, /location: [a-z]*:?\/\/evil/i, "sent elsewhere");
      assert.doesNotMatch(text, /node_modules|at .+\.(?:ts|mjs|js):\d+/, "shows a stack");
      assert.equal(status >= 500, refused.has(name), `${status}: ${text.slice(0, 200)}`);
      const after = await client.fetch("/auth/session");
      assert.equal((await after.json()).user.id, "ada", "the next visitor is served");
    });
  }
  await test.step("memory stays as it was", async () => {
    const grown = await residentMegabytes(server.pid) - before;
    assert.ok(grown < 120, `${grown} MiB`);
  });
}

const REFUSED_BY_WORKERD = new Set([
  "two Host headers",
  "a Host with a user and a path",
  "a Host that would take the path's place",
  "a Host with a fragment",
  "a Host with a backslash",
  "a Host with a blank",
  "a Host with a port that is none",
  "a Host that is an address of too many numbers",
  "an absolute target of another site",
  "two Content-Length headers",
  "a method in lower case",
  "no HTTP at all",
]);

async function attackOne(
  serving: Promise<Server>,
  test: Deno.TestContext,
  refused: ReadonlySet<string> = new Set(),
): Promise<void> {
  const server = await serving;
  try {
    await attack(server, test, refused);
  } finally {
    await server.close();
  }
}

const UNSANITIZED = { sanitizeOps: false, sanitizeResources: false };

// Tracks: F30, F31, R066, A-11
Deno.test("hostile HTTP signs nobody in and stops nothing on Deno", UNSANITIZED, async (test) => {
  await attackOne(serveOnDeno("deno_serve.ts", { exported: false }), test);
});

// On each push tests/servers/ attacks the servers of Node, and auth/tests/body_workerd_test.ts sends workerd such bodies.
if (inMatrix) {
  // Tracks: F30, F31, R066
  Deno.test(
    "hostile HTTP signs nobody in and stops nothing on Node",
    { ...UNSANITIZED, ignore: !nodeIsAvailable },
    async (test) => await attackOne(serveOnNode("node_http.ts", "newest"), test),
  );

  // Tracks: F30, F31, R066
  Deno.test(
    "hostile HTTP signs nobody in and stops nothing in workerd",
    UNSANITIZED,
    async (test) => {
      await attackOne(serveOnWorkerd("worker.ts"), test, REFUSED_BY_WORKERD);
    },
  );
}
