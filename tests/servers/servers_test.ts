// The servers that docs/servers.md shows, installed from the packed packages, served by Node and used in Chromium.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { installPackages } from "../../scripts/scaffold.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import {
  AFTER,
  cookieHeader,
  type Door,
  FORM_OF_PAGE,
  ROWS,
  SOCKET_OF_SITE,
  visitDoor,
} from "../doors/visit.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import { readFiveMinutes } from "../packages/five_minutes.ts";
import { launchBrowser } from "../support/browser.ts";
import { type Child, startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { sendRaw } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
import { attackServer, useFastify } from "./attacks.ts";
import { shutdownLines } from "./shutdown_lines.ts";

const project = fileURLToPath(new URL("./project", import.meta.url));
const why = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
const visits = nodeIsAvailable && await findChromium() !== null;
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

/**
 * The servers of the guide: their names in its table, where the pages are added that the guide does not show, and which is
 * visited every day: Fastify, whose way in is that of Node and Express behind hooks of its own; that of Hono is SvelteKit's.
 */
const SERVERS: Record<string, { title: string; more(text: string): string; daily?: boolean }> = {
  hono: { title: "Hono", more: addMore },
  express: { title: "Express", more: addMore },
  fastify: { title: "Fastify", more: addMore, daily: true },
  node: {
    title: "node:http",
    more: (text) =>
      text.replace(
        "(request, response) => {\n",
        "async $&  if (await answerMore(request, response)) return;\n",
      ),
  },
};

function addMore(text: string): string {
  return text.replace(/^app\.get\("\/account"/m, "addMore(app);\n$&");
}

/** The server of each, with which the guide opens WebSockets. */
const WITH_SOCKETS: Record<string, (text: string) => string> = {
  hono: (text) => text.replace(/^serve\((.*)\);$/m, "openSockets(serve($1));"),
  express: (text) => text.replace(/^app\.listen\((.*)\);$/m, "openSockets(app.listen($1));"),
  fastify: (text) => `${text}openSockets(app.server);\n`,
  node: (text) => `${text}openSockets(server);\n`,
};

/** Writes the guide's server with more pages and with WebSockets, and with a provider more in its `auth.ts`. */
async function writeProgram(name: string): Promise<string> {
  const guide = await Deno.readTextFile(join(folder, `${name}.ts`));
  const word = name === "node" ? "answerMore" : "addMore";
  const text = WITH_SOCKETS[name]!(SERVERS[name]!.more(guide))
    .replace("./auth.ts", "./auth_local.ts");
  assert.equal(text.split(word).length, 2, text);
  assert.match(text, /^openSockets\(/m);
  const program = `all_${name}.ts`;
  await Deno.writeTextFile(
    join(folder, program),
    `import { ${word} } from "./more_${name}.ts";\nimport { openSockets } from "./sockets_local.ts";\n${text}`,
  );
  const provider = `, createOidcProvider({
    id: "local", name: "Local", issuer: process.env.ISSUER!, clientId: "${DEMO_CLIENT.clientId}",
    clientSecret: "${DEMO_CLIENT.clientSecret}", trustEmail: true,
  })],`;
  const auth = (await Deno.readTextFile(join(folder, "auth.ts")))
    .replace("accountPage()],", `accountPage()${provider}`)
    .replace("createAuth,", "createAuth, createOidcProvider,");
  assert.ok(auth.includes("createOidcProvider,") && auth.includes('id: "local"'));
  await Deno.writeTextFile(join(folder, "auth_local.ts"), auth);
  const sockets = await Deno.readTextFile(join(folder, "sockets.ts"));
  await Deno.writeTextFile(
    join(folder, "sockets_local.ts"),
    sockets.replace("./auth.ts", "./auth_local.ts"),
  );
  return program;
}

interface Started {
  server: Child;
  origin: string;
  database: string;
}

async function startServer(
  program: string,
  env: Record<string, string> = {},
): Promise<Started> {
  const port = Number(env.PORT ?? freePort());
  const origin = `http://localhost:${port}`;
  const database = join(folder, `${program}.db`);
  const server = startChild((await findNodes()).newest, [program], {
    cwd: folder,
    env: { PORT: String(port), BASE_URL: origin, DATABASE: database, ISSUER: origin, ...env },
  });
  await untilAnswering(origin, server.output);
  return { server, origin, database };
}

/** Errors of the application, and the visitor after them. */
async function askForErrors({ server, origin }: Started): Promise<void> {
  for (const [path, said] of [["/boom", /boom of the/], ["/wrong", /wrong option/]] as const) {
    const response = await fetch(`${origin}${path}`);
    assert.equal(response.status, 500, await response.text());
    await server.waitFor(said);
  }
  const visitor = await fetch(`${origin}/account`, { redirect: "manual" });
  assert.equal(visitor.status, 303, await visitor.text());
}

/** JSON that the server parses behind the session, headers of what is about somebody, and names of hosts that are none. */
async function useRoutes(page: Page, { origin, output }: Door): Promise<void> {
  const cookie = await cookieHeader(page);
  const account = await fetch(`${origin}/account`, { headers: { cookie } });
  assert.match(await account.text(), /Hello Ada/);
  assert.match(account.headers.get("vary") ?? "", /cookie/i);
  assert.match(account.headers.get("cache-control") ?? "", /no-store/);
  const sent = {
    method: "POST",
    headers: { cookie, origin, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ text: "x".repeat(99_000) }),
  };
  const echoed = await fetch(`${origin}/echo`, sent);
  const { text, user } = await echoed.json();
  assert.equal(text.length, 99_000);
  assert.match(user, /./);
  const visitor = await fetch(`${origin}/echo`, {
    ...sent,
    headers: { ...sent.headers, cookie: "" },
  });
  assert.equal(visitor.status, 401);
  assert.equal((await visitor.json()).code, "UNAUTHENTICATED");
  const port = Number(new URL(origin).port);
  for (const host of [`localhost:${port}/auth/session?`, "a b", "1.2.3.4.5"]) {
    const head = `GET /account HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}`;
    const reply = await sendRaw(port, `${head}\r\nConnection: close\r\n\r\n`);
    assert.equal(reply.status, 400, `${host}: ${reply.text}\n${output()}`);
    assert.ok(!reply.text.includes("Ada"));
  }
  // The address of the client is known.
  assert.doesNotMatch(output(), /client-address-unknown/);
}

// Tracks: AU-06, A-11
Deno.test({
  name:
    `servers: sign-up, every way in, guard, role, stream, forged forms and sockets in Chromium${why}`,
  ignore: !visits,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const ports = Object.keys(SERVERS)
      .filter((name) => inMatrix || SERVERS[name]!.daily)
      .map((name) => ({ name, port: freePort() }));
    const identity = await startIdentityProvider({
      redirectUris: ports.map(({ port }) => `http://localhost:${port}/auth/callback/local`),
    });
    const browser = await launchBrowser();
    try {
      for (const { name, port } of ports) {
        const fn = async (test: Deno.TestContext) => {
          const started = await startServer(await writeProgram(name), {
            PORT: String(port),
            ISSUER: identity.issuer,
          });
          const { server, ...door } = started;
          const { output } = server;
          const answers = {
            formRefusal: 403,
            handshakeRefusal: 403,
            claimWarning: "proxy-not-trusted",
          };
          try {
            await visitDoor(
              test,
              { ...door, output, ...answers, socket: "/", also: useRoutes },
              browser,
            );
            if (!inMatrix) await test.step("errors that nobody knows", () => askForErrors(started));
          } finally {
            await server.stop();
          }
        };
        await test.step({ name, fn, sanitizeOps: false, sanitizeResources: false });
      }
    } finally {
      await browser.close();
      await identity.close();
    }
  },
});

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

// Tracks: OP-02
for (const [name, { daily = false }] of Object.entries(SERVERS)) {
  // On each push one server is asked, which is visited.
  if (!inMatrix && !(daily && !visits)) continue;
  Deno.test({
    name: `an error that nobody knows is logged and a 500, in the server of ${name}${why}`,
    ignore: !nodeIsAvailable,
    async fn() {
      const started = await startServer(await writeProgram(name));
      try {
        await askForErrors(started);
      } finally {
        await started.server.stop();
      }
    },
  });
}

// Tracks: R168, CVE-2025-48947
Deno.test({
  name: `clients that break the rules get one answer each, and the next one its own${why}`,
  ignore: !nodeIsAvailable,
  async fn(test) {
    const ports = [freePort(), freePort(), freePort()];
    const server = startChild((await findNodes()).newest, ["attacked.ts"], {
      cwd: folder,
      env: { PORTS: ports.join(" ") },
    });
    try {
      await server.waitFor(/listening/);
      for (const [index, name] of ["node:http", "Express", "Fastify"].entries()) {
        await test.step(name, () => attackServer(ports[index]!));
      }
      await test.step("hooks and errors of Fastify", () => useFastify(ports[2]!));
      assert.doesNotMatch(server.output(), /uncaught|unhandled|192\.0\.2\.7/);
      assert.match(server.output(), /signed in from 127\.0\.0\.1/);
    } finally {
      await server.stop();
    }
  },
});

Deno.test("the types of the servers hold", async () => {
  const { newest } = await findNodes();
  const compilers = [await linkNpmPackages({ typescript: "7.0.2" })];
  if (inMatrix) compilers.push(join(folder, "node_modules"));
  for (const modules of compilers) {
    const compiler = join(modules, "typescript", "bin", "tsc");
    await run(newest, [compiler, "--project", "tsconfig.json"], { cwd: folder });
  }
});

/** The guide's lines, and the examples' ways to begin. */
const ENDING: [name: string, end: (text: string, lines: string) => string][] = [
  ["hono", (text, lines) => text.replace("\nserve(", "\nconst server = serve(") + lines],
  [
    "express",
    (text, lines) => text.replace("\napp.listen(", "\nconst server = app.listen(") + lines,
  ],
  ["node", (text, lines) => text + lines],
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
  // The server of the others is that of node:http, which shutdown_test.ts ends by the same lines.
  if (!inMatrix && !SERVERS[name]!.daily) continue;
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
  const cells = Object.entries(ROWS).map(([row, { by }]) => [row, by]);
  for (const [name, { title }] of Object.entries(SERVERS)) {
    assert.ok(ENDING.some(([one]) => one === name), `${name} is not ended`);
    holdColumn(table, title, {
      ...Object.fromEntries(cells),
      [FORM_OF_PAGE]: "R: 403",
      [SOCKET_OF_SITE]: "R: 403",
      [AFTER]: "R",
      "production build": "–",
      "development server": "–",
    });
  }
});

Deno.test("docs/servers.md shows the servers that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "servers.md"));
  for (const name of ["auth", "pages", ...Object.keys(SERVERS), "sockets", "protect"]) {
    const text = await Deno.readTextFile(join(project, `${name}.ts`));
    assert.ok(guide.includes(`\`\`\`ts ignore\n${text}\`\`\``), `${name}.ts is not in the guide`);
  }
});
