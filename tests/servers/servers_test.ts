// The adapters that docs/servers.md shows, installed from the packed packages and served by Node.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { cp } from "node:fs/promises";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { installPackages } from "../../scripts/scaffold.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { AFTER, CLAIMED, SOCKET, SOCKET_OF_SITE } from "../doors/visit.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import { type Client, createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { readFiveMinutes } from "../packages/five_minutes.ts";
import { sendHandshake, sendRaw } from "../support/raw_http.ts";
import { openWebSocket } from "../support/web_socket.ts";
import { until } from "../support/until.ts";
import { shutdownLines } from "./shutdown_lines.ts";

const project = fileURLToPath(new URL("./project", import.meta.url));
const why = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
let folder: string;

Deno.test.beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "framework-servers-" });
  await cp(project, folder, { recursive: true });
  await installPackages(folder, await buildPackages({ gate: false }));
});
Deno.test.afterAll(async () => {
  await Deno.remove(folder, { recursive: true });
});

async function untilAnswering(address: string, said: () => string): Promise<void> {
  await until(
    async () => {
      await (await fetch(`${address}/auth/session`)).body?.cancel();
      return true;
    },
    () => `Nobody listens at ${address}:\n${said()}`,
  );
}

/** Names of the servers in the table of docs/servers.md. */
const SERVERS = { hono: "Hono", express: "Express", fastify: "Fastify" };

/** The server of each, with which the guide opens WebSockets. */
const WITH_SOCKETS: Record<string, (text: string) => string> = {
  hono: (text) => text.replace(/^serve\((.*)\);$/m, "openSockets(serve($1));"),
  express: (text) => text.replace(/^app\.listen\((.*)\);$/m, "openSockets(app.listen($1));"),
  fastify: (text) => `${text}openSockets(app.server);\n`,
};

function cookieOf({ cookies }: Client): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

interface Visit {
  origin: string;
  port: number;
  visitor: Client;
  output(): string;
}

/** Rows of that table, one after the other. */
const ROWS: Record<string, (visit: Visit) => Promise<void>> = {
  "guarded page": async ({ visitor }) => {
    const refused = await visitor.fetch("/account");
    assert.equal(refused.status, 303, await refused.text());
    assert.match(refused.headers.get("location")!, /\/auth\/signin\?callbackUrl=%2Faccount$/);
    const orders = await visitor.fetch("/orders");
    assert.equal(orders.status, 303, await orders.text());
    assert.match(orders.headers.get("location")!, /\/auth\/signin\?callbackUrl=%2Forders$/);
  },
  "sign-in": async ({ visitor }) => {
    const signedIn = await visitor.post("/auth/signin/credentials", { pin: "1234" });
    assert.equal(signedIn.status, 303, await signedIn.text());
    const home = await visitor.fetch("/account");
    assert.equal(await home.text(), "Hello Ada");
  },
  "own routes and actions": async ({ visitor, origin, port, output }) => {
    const home = await visitor.fetch("/account");
    await home.body?.cancel();
    // A name is what somebody typed: a browser must not take it for HTML.
    assert.match(home.headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(home.headers.get("vary") ?? "", /cookie/i);
    assert.match(home.headers.get("cache-control") ?? "", /no-store/);
    const sent = await visitor.fetch("/account", {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ text: "x".repeat(100_000 - 1) }),
    });
    const { text, user } = await sent.json();
    assert.deepEqual([user, text.length], ["ada", 99_999]);
    const own = await visitor.fetch("/orders");
    assert.equal(await own.text(), "Orders of ada");
    const cookie = cookieOf(visitor);
    for (const host of [`localhost:${port}/auth/session?`, "a b", "1.2.3.4.5"]) {
      const head = `GET /orders HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}`;
      const reply = await sendRaw(port, `${head}\r\nConnection: close\r\n\r\n`);
      assert.equal(reply.status, 400, `${host}: ${reply.text}\n${output()}`);
      assert.ok(!reply.text.includes("ada"));
    }
  },
  "role: 401, 403": async ({ visitor, origin }) => {
    const unknown = await createClient(origin).fetch("/admin");
    assert.equal(unknown.status, 401, await unknown.text());
    const forbidden = await visitor.fetch("/admin");
    assert.equal(forbidden.status, 403, await forbidden.text());
  },
  "cross-site form at `/auth`": async ({ visitor }) => {
    const response = await visitor.post("/auth/signout", {}, { origin: "https://evil.example" });
    assert.equal(response.status, 403, await response.text());
    const home = await visitor.fetch("/account");
    assert.equal(await home.text(), "Hello Ada");
  },
  [SOCKET]: async ({ visitor, origin }) => {
    const stranger = await sendHandshake(origin, origin);
    assert.equal(stranger.status, 401, stranger.text);
    const own = openWebSocket(origin.replace("http", "ws"), { origin, cookie: cookieOf(visitor) });
    const said = await new Promise((resolve) => {
      own.onmessage = ({ data }) => resolve(data);
      own.onerror = (event) => resolve((event as ErrorEvent).message);
    });
    const closed = new Promise((resolve) => own.onclose = resolve);
    own.close();
    await closed;
    assert.equal(said, "Hello Ada");
  },
  [SOCKET_OF_SITE]: async ({ visitor, origin }) => {
    const forged = await sendHandshake(origin, "https://evil.example", cookieOf(visitor));
    assert.equal(forged.status, 403, forged.text);
    assert.doesNotMatch(forged.text, /Ada/);
  },
  [CLAIMED]: async ({ origin, output }) => {
    const claim = { "x-forwarded-for": "203.0.113.1" };
    const refused = await createClient(origin).post(
      "/auth/signin/credentials",
      { pin: "0" },
      claim,
    );
    assert.equal(refused.status, 401, await refused.text());
    await until(() => Promise.resolve(output().includes("proxy-not-trusted")), output);
  },
  "sign-out": async ({ visitor }) => {
    const signedOut = await visitor.post("/auth/signout", {});
    assert.equal(signedOut.status, 303, await signedOut.text());
    const again = await visitor.fetch("/account");
    assert.equal(again.status, 303, await again.text());
  },
};

for (const name of Object.keys(SERVERS)) {
  // Tracks: AU-06, A-11
  Deno.test({
    name: `authMiddleware guards the routes of ${name}, by its adapter${why}`,
    ignore: !nodeIsAvailable,
    async fn(test) {
      const port = freePort();
      const origin = `http://localhost:${port}`;
      const text = WITH_SOCKETS[name]!(await Deno.readTextFile(join(folder, `${name}.ts`)));
      assert.match(text, /^openSockets\(/m);
      const program = `sockets_${name}.ts`;
      await Deno.writeTextFile(
        join(folder, program),
        `import { openSockets } from "./sockets.ts";\n${text}`,
      );
      const server = startChild((await findNodes()).newest, [program], {
        cwd: folder,
        env: { PORT: String(port), BASE_URL: origin },
      });
      try {
        await untilAnswering(origin, server.output);
        const visit: Visit = { origin, port, visitor: createClient(origin), output: server.output };
        for (const [row, check] of Object.entries(ROWS)) {
          if (!await test.step(row, () => check(visit))) return;
        }
        // The example passes on the address of the client.
        assert.doesNotMatch(server.output(), /client-address-unknown/);
      } finally {
        await server.stop();
      }
    },
  });
}

// Tracks: A-05, AU-04, R168
Deno.test({
  name:
    `the quick start, as it is written: wrong passwords of one client keep no other one out${why}`,
  ignore: !nodeIsAvailable,
  async fn() {
    const { files } = await readFiveMinutes("auth/README.md", "npm");
    await Deno.writeTextFile(join(folder, "app.ts"), files.get("app.ts")!);
    const port = freePort();
    const server = startChild((await findNodes()).newest, ["app.ts"], {
      cwd: folder,
      env: { PORT: String(port), NODE_OPTIONS: "--dns-result-order=ipv4first" },
    });
    // Two clients: connections from two addresses of this machine.
    const clients = ["127.0.0.2", "127.0.0.3"].map((localAddress) =>
      Deno.createHttpClient({ localAddress })
    );
    const post = async (path: string, client: Deno.HttpClient, password: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { origin: `http://127.0.0.1:${port}` },
        body: new URLSearchParams({ email: "ada@example.com", password }),
        redirect: "manual",
        client,
      });
      await response.body?.cancel();
      return response.status;
    };
    try {
      await untilAnswering(`http://127.0.0.1:${port}`, server.output);
      const [stranger, owner] = clients as [Deno.HttpClient, Deno.HttpClient];
      const found = [];
      for (let n = 0; n < 6; n++) {
        found.push(await post("/auth/signin/passwords", stranger, "no"));
      }
      assert.deepEqual(found, [401, 401, 401, 401, 401, 429]);
      assert.equal(await post("/auth/signin/passwords", owner, "no"), 401);
      assert.doesNotMatch(server.output(), /client-address-unknown/);
    } finally {
      for (const client of clients) client.close();
      await server.stop();
    }
  },
});

// Tracks: AU-12
Deno.test("the adapter of Express says so when a body parser was there before it", async () => {
  const { toRequest } = await import(join(project, "node.ts"));
  const body = new URLSearchParams({ pin: "1234" }).toString();
  const incoming = () =>
    Object.assign(Readable.from([new TextEncoder().encode(body)]), {
      method: "POST",
      url: "/auth/signin/credentials",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  assert.equal(await toRequest(incoming(), true).text(), body);
  const parsed = incoming();
  for await (const _ of parsed);
  assert.throws(() => toRequest(parsed, true), /place the session before express\.json\(\)/);
  assert.equal(toRequest(parsed).body, null);
});

// Tracks: OP-04
Deno.test("the adapter of Express and Fastify tells when the client hangs up", async () => {
  const { toRequest } = await import(join(project, "node.ts"));
  const outgoing = new EventEmitter();
  const incoming = { method: "POST", url: "/auth/signin/credentials", headers: {} };
  const { signal } = toRequest(incoming, false, outgoing);
  assert.equal(signal.aborted, false);
  outgoing.emit("close");
  assert.equal(signal.aborted, true);
});

// Tracks: OP-02
for (const name of ["hono", "express", "fastify"]) {
  Deno.test({
    name: `an error that nobody knows is logged and a 500, by the adapter of ${name}${why}`,
    ignore: !nodeIsAvailable,
    async fn() {
      // The lines of the guide, with two routes more.
      const text = await Deno.readTextFile(join(folder, `${name}.ts`));
      const route = 'app.get("/orders"';
      assert.equal(text.split(route).length, 2);
      const routes = `app.get("/boom", () => { throw new TypeError("boom of the application"); });
app.get("/wrong", () => { throw new ConfigurationError("wrong option of the application"); });
`;
      await Deno.writeTextFile(
        join(folder, `boom_${name}.ts`),
        `import { ConfigurationError } from "@framework/auth";\n${
          text.replace(route, () => routes + route)
        }`,
      );
      const port = freePort();
      const origin = `http://localhost:${port}`;
      const server = startChild((await findNodes()).newest, [`boom_${name}.ts`], {
        cwd: folder,
        env: { PORT: String(port), BASE_URL: origin },
      });
      try {
        await untilAnswering(origin, server.output);
        for (
          const [path, said] of [["/boom", /boom of the/], ["/wrong", /wrong option/]] as const
        ) {
          const response = await fetch(`${origin}${path}`);
          assert.equal(response.status, 500, await response.text());
          await server.waitFor(said);
        }
        const visitor = await fetch(`${origin}/orders`, { redirect: "manual" });
        assert.equal(visitor.status, 303, await visitor.text());
      } finally {
        await server.stop();
      }
    },
  });
}

Deno.test("the types of the adapters hold", async () => {
  const compiler = join(folder, "node_modules", "typescript", "bin", "tsc");
  await run(Deno.execPath(), ["run", "-A", compiler, "--project", "tsconfig.json"], {
    cwd: folder,
  });
});

/** The guide's lines, and the examples' ways to begin. */
const ENDING: [name: string, end: (text: string, lines: string) => string][] = [
  ["hono", (text, lines) => text.replace("\nserve(", "\nconst server = serve(") + lines],
  [
    "express",
    (text, lines) => text.replace("\napp.listen(", "\nconst server = app.listen(") + lines,
  ],
  ["fastify", (text) =>
    text + `
import { settled } from "@framework/auth";
process.once("SIGTERM", async () => {
  await app.close();
  await settled();
  await pool.end();
});
`],
];

for (const [name, end] of ENDING) {
  Deno.test({
    name: `a server of ${name} ends by the lines of the guide while clients keep asking${why}`,
    ignore: !nodeIsAvailable,
    async fn() {
      const text = await Deno.readTextFile(join(folder, `${name}.ts`));
      const program = `ending_${name}.ts`;
      await Deno.writeTextFile(
        join(folder, program),
        `${end(text, (await shutdownLines()).node)}
const pool = { end: async () => console.log("the pool has ended") };
`,
      );
      const port = freePort();
      const origin = `http://127.0.0.1:${port}`;
      const server = startChild((await findNodes()).newest, [program], {
        cwd: folder,
        env: { PORT: String(port), BASE_URL: origin },
      });
      const agent = new Agent({ keepAlive: true });
      const ask = () =>
        new Promise<number | string>((resolve) => {
          const asking = get(`${origin}/auth/session`, { agent }, (answer) => {
            answer.on("error", (error) => resolve(`${error}`));
            answer.on("end", () => resolve(answer.statusCode!)).resume();
          });
          asking.on("error", (error: Error & { code?: string }) => resolve(error.code ?? "?"));
        });
      try {
        await untilAnswering(origin, server.output);
        const seen = new Set<number | string>();
        const clients = Array.from({ length: 4 }, async () => {
          let answer: number | string;
          do seen.add(answer = await ask()); while (answer !== "ECONNREFUSED");
        });
        await until(() => Promise.resolve(seen.has(200)), () => "Nobody is answered");
        Deno.kill(server.pid, "SIGTERM");
        await server.waitFor(/the pool has ended/);
        await Promise.all(clients);
        assert.equal(await server.ended, 0, server.output());
        // A connection without a request may be closed while the next one is on its way.
        for (const answer of seen) {
          const known = [200, "ECONNREFUSED", "ECONNRESET", ...name === "fastify" ? [503] : []];
          assert.ok(known.includes(answer), `${answer}`);
        }
      } finally {
        agent.destroy();
        await server.stop();
      }
    },
  });
}

Deno.test("the table in docs/servers.md is what the servers are asked", async () => {
  const table = await readTable("docs/servers.md", "Hono");
  const cells = Object.keys(ROWS).map((row) => [row, "R"]);
  const none = { "production build": "–", "development server": "–" };
  for (const [name, title] of Object.entries(SERVERS)) {
    const ends = ENDING.some(([one]) => one === name);
    const wanted = { ...Object.fromEntries(cells), ...none, ...ends && { [AFTER]: "R" } };
    holdColumn(table, title, wanted);
  }
});

Deno.test("docs/servers.md shows the adapters that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "servers.md"));
  for (const name of ["auth", "node", "hono", "express", "fastify", "sockets"]) {
    const text = await Deno.readTextFile(join(project, `${name}.ts`));
    assert.ok(guide.includes(`\`\`\`ts ignore\n${text}\`\`\``), `${name}.ts is not in the guide`);
  }
});
