import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createClient } from "../support/client.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { until } from "../support/until.ts";
import { openWebSocket } from "../support/web_socket.ts";
import { examplePath, serveOnDeno, serveOnNode, serveOnWorkerd, type Server } from "./servers.ts";

const EXAMPLES = ["hono.ts", "deno_serve.ts", "worker.ts", "node_http.ts", "websocket.ts"];

// Tracks: A-05, AU-04
async function signInAndOut({ origin, output }: Server): Promise<void> {
  const client = createClient(origin);
  assert.equal(await (await client.fetch("/")).text(), "Hello stranger");
  const page = await client.fetch("/auth/signin");
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<form/);

  const refused = await client.post("/auth/signin/credentials", { pin: "0000" });
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  const signedIn = await client.post("/auth/signin/credentials", { pin: "1234" });
  assert.equal(signedIn.status, 303);
  assert.equal(signedIn.headers.get("location"), `${origin}/`);
  // The origin is a loopback host's, where no name has the prefix __Host-. Those of the browser stay.
  const names = ["framework.known", "framework.last", "framework.session-token"];
  assert.deepEqual([...client.cookies.keys()].sort(), names);
  const home = await client.fetch("/");
  assert.equal(await home.text(), "Hello Ada");
  // A name is what somebody typed: a browser must not take it for HTML.
  assert.match(home.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(home.headers.get("vary") ?? "", /Cookie/);

  const elsewhere = await client.post("/auth/signout", {}, { origin: "https://evil.example" });
  assert.equal(elsewhere.status, 403);
  await elsewhere.body?.cancel();
  const head = await client.fetch("/auth/session", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal((await client.post("/auth/signout", {})).status, 303);
  assert.deepEqual([...client.cookies.keys()].sort(), names.slice(0, 2));
  assert.doesNotMatch(output(), /client-address-unknown/);
  assert.equal(await (await client.fetch("/auth/session")).json(), null);
}

function testExample(name: string, serve: () => Promise<Server>, ignore = false): void {
  Deno.test({
    name: `the README's example ${name} signs in and out`,
    ignore,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const server = await serve();
      try {
        await signInAndOut(server);
      } finally {
        await server.close();
      }
    },
  });
}

let hono: Promise<Server> | undefined;
Deno.test.afterAll(async () => await (await hono)?.close());

/** The example for Hono, which some tests ask. */
async function serveHono(): Promise<Server> {
  hono ??= serveOnDeno("hono.ts", { exported: true });
  return { ...await hono, close: () => Promise.resolve() };
}

testExample("for Hono, on Deno", serveHono);
if (inMatrix) testExample("for Hono, on workerd", () => serveOnWorkerd("hono.ts"));
testExample("for Deno.serve", () => serveOnDeno("deno_serve.ts", { exported: false }));
testExample("for a plain worker", () => serveOnWorkerd("worker.ts"));
testExample(
  "for Node's http, on Node 20",
  () => serveOnNode("node_http.ts", "oldest"),
  !nodeIsAvailable,
);
if (inMatrix) {
  testExample(
    "for Node's http, on newest Node",
    () => serveOnNode("node_http.ts", "newest"),
    !nodeIsAvailable,
  );
}

Deno.test({
  name: "the README's example for Hono sends signed-out visitors to the sign-in page",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { origin } = await serveHono();
    const client = createClient(origin);
    const refused = await client.fetch("/account");
    assert.equal(refused.status, 303);
    assert.equal(
      refused.headers.get("location"),
      `${origin}/auth/signin?callbackUrl=%2Faccount`,
    );
    await client.post("/auth/signin/credentials", { pin: "1234" });
    const response = await client.fetch("/account");
    assert.equal((await response.json()).id, "ada");
    assert.equal(response.headers.get("cache-control"), "no-store");
  },
});

const FAILING: [file: string, serve: (file: string) => Promise<Server>][] = [
  ["deno_serve.ts", (file) => serveOnDeno(file, { exported: false })],
];
// A server of Node's is asked on each push by tests/servers/.
if (inMatrix) {
  FAILING.push(
    ["hono.ts", (file) => serveOnDeno(file, { exported: true })],
    ["node_http.ts", (file) => serveOnNode(file, "newest")],
  );
}

// Tracks: OP-02
for (const [file, serve] of FAILING) {
  Deno.test({
    name: `an error that nobody knows is logged and a 500, by the README's example ${file}`,
    ignore: file === "node_http.ts" && !nodeIsAvailable,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const text = await Deno.readTextFile(examplePath(file));
      assert.ok(text.includes("getUser()?.name"));
      const failing = `../../output/failing_${file}`;
      await Deno.mkdir(join(examplePath(failing), ".."), { recursive: true });
      await Deno.writeTextFile(
        examplePath(failing),
        `${text.replaceAll("getUser()?.name", "boom()")}
function boom(): string {
  getUser();
  throw new TypeError("boom of the application");
}
`,
      );
      const server = await serve(failing);
      try {
        const response = await fetch(`${server.origin}/`);
        assert.equal(response.status, 500, await response.text());
        await until(
          () => Promise.resolve(/boom of the application/.test(server.output())),
          () => `The error is nowhere:\n${server.output()}`,
        );
      } finally {
        await server.close();
        await Deno.remove(examplePath(failing));
      }
    },
  });
}

Deno.test("the README's examples are the files that are tested", async () => {
  const readme = await Deno.readTextFile(join(repositoryRoot, "auth", "README.md"));
  for (const file of EXAMPLES) {
    const example = await Deno.readTextFile(examplePath(file));
    assert.ok(readme.includes(`\`\`\`ts ignore\n${example}\`\`\``), `${file} is not in the README`);
  }
});

/** Returns the first message of a WebSocket's server; null when it opens none. */
function greetingOn(origin: string, headers: Record<string, string>): Promise<string | null> {
  const socket = openWebSocket(`${origin.replace("http", "ws")}/chat`, headers);
  return new Promise((resolve) => {
    socket.onmessage = ({ data }) => {
      socket.close();
      resolve(data);
    };
    socket.onerror = () => resolve(null);
  });
}

// Tracks: R071
Deno.test({
  name: "the README's example for WebSockets greets who is signed in, and no other site's page",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const server = await serveOnWorkerd("websocket.ts");
    try {
      const { origin } = server;
      const client = createClient(origin);
      await client.post("/auth/signin/credentials", { pin: "1234" });
      const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
      assert.equal(await greetingOn(origin, { cookie, origin }), "Hello Ada");
      assert.equal(await greetingOn(origin, { origin }), null);
      assert.equal(await greetingOn(origin, { cookie, origin: "https://evil.example" }), null);
    } finally {
      await server.close();
    }
  },
});
