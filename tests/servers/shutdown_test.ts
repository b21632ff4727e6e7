// Servers in use that are told to end, by the lines of docs/databases.md: whatever was answered is done and stays.
import assert from "node:assert/strict";
import { Agent, createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { bundleEntries } from "../support/bundle.ts";
import { startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { startMariadb } from "../support/mariadb.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { shutdownLines } from "./shutdown_lines.ts";

const bin = await findPostgres();
const programs = await findMariadb();
const CLIENTS = 6;
const USERS = 300;

/**
 * Codes of a request that the server has not taken: nobody listens, or the connection over which it was asked is closed
 * already, as a server that ends closes those on which nothing is under way. The client hears of that by its read
 * (ECONNRESET) or by its write (EPIPE), whichever is first.
 */
const UNSERVED = ["ECONNREFUSED", "ECONNRESET", "EPIPE"];

const POSTGRES = `import { postgres } from "@framework/auth/postgres";
import { Pool } from "pg";
const pool = new Pool({ connectionString: process.env.DATABASE });
const database = postgres(pool);`;

const MARIADB = `import { mariadb } from "@framework/auth/mariadb";
import { createPool } from "mysql2/promise";
const pool = createPool(process.env.DATABASE);
const database = mariadb(pool);`;

const SQLITE = `import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
const file = new DatabaseSync(process.env.DATABASE);
const database = sqlite(file);`;

// An event that writes once somebody else has answered it, as one that tells a service and notes its answer.
const APPLICATION = `
import { createAuth, createUser, credentials, getUser, passwords, waitUntil } from "@framework/auth";
import process from "node:process";

async function tell(what) {
  const response = await fetch(process.env.SERVICE, { method: "POST", body: what });
  await response.text();
}
await database.prepare("CREATE TABLE noted (what TEXT NOT NULL)").run();
const auth = createAuth({
  database,
  baseUrl: process.env.BASE_URL,
  cookies: { sessionToken: { hostOnly: true } },
  rateLimit: false,
  events: {
    async "sign-in"({ userId }) {
      await tell("event");
      await database.prepare("INSERT INTO noted (what) VALUES (?1)").bind(userId).run();
    },
  },
  providers: [
    credentials({
      credentials: { name: { label: "Name", type: "text", required: true } },
      authorize: ({ name }) => Promise.resolve({ id: name, name }),
    }),
    passwords({ sendMail: ({ to }) => tell(\`mail \${to}\`) }),
  ],
});
await auth.migrate();
// A request for each, because the database has ten seconds for all that one request asks of it.
for (let n = 0; n < ${USERS}; n++) {
  const made = await auth.run(new Request(process.env.BASE_URL), {}, undefined, async () => {
    const emailVerified = new Date();
    await createUser({ id: \`owner-\${n}\`, email: \`owner-\${n}@example.com\`, emailVerified });
    return new Response();
  });
  if (!made.ok) throw new Error(\`The user \${n} was not made\`);
}`;

const NODE = `
import { nodeAuth } from "@framework/auth/node";
import { createServer } from "node:http";
const server = createServer(nodeAuth(auth, async (request, response) => {
  if (request.url === "/slow") await tell("slow");
  response.end(getUser()?.id ?? "nobody");
}));
server.on("close", () => console.log("closed"));
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
`;

const DENO = `
const app = {
  fetch(request) {
    const next = async () => {
      if (new URL(request.url).pathname === "/slow") await tell("slow");
      return new Response(getUser()?.id ?? "nobody");
    };
    return auth.fetch(request, {}, { clientAddress: "127.0.0.1", waitUntil, next });
  },
};
`;

/** The service that the application asks meanwhile. It answers what begins with a word once that was opened. */
interface Service {
  url: string;
  /** What it was asked. */
  asked: string[];
  open(...words: string[]): void;
  close(): void;
}

function startService(): Promise<Service> {
  const asked: string[] = [];
  const opened = new Set<string>();
  const waiting = new Map<ServerResponse, string>();
  function answer(): void {
    for (const [outgoing, word] of waiting) {
      if (opened.has(word) && waiting.delete(outgoing)) outgoing.end("thanks");
    }
  }
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.on("data", (part) => body += part);
    incoming.on("end", () => {
      asked.push(body);
      waiting.set(outgoing, body.split(" ")[0]!);
      answer();
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${port}/`,
        asked,
        open(...words) {
          for (const word of words) opened.add(word);
          answer();
        },
        close() {
          server.closeAllConnections();
          server.close();
        },
      });
    });
  });
}

/** A client that keeps its connections. */
function createClient(port: number) {
  const agent = new Agent({ keepAlive: true });
  const origin = `http://127.0.0.1:${port}`;
  /** Answers with the status, and without one with the code of the error. */
  function ask(path: string, body?: unknown): Promise<number | string> {
    return new Promise((resolve) => {
      const headers = { origin, accept: "application/json", "content-type": "application/json" };
      const asking = request(
        `${origin}${path}`,
        { agent, ...body === undefined ? {} : { method: "POST", headers } },
        (answer) => {
          answer.on("error", (error) => resolve(`${error}`));
          answer.on("end", () => resolve(answer.statusCode!));
          answer.resume();
        },
      );
      asking.on("error", (error: Error & { code?: string }) => resolve(error.code ?? `${error}`));
      asking.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  return { ask, close: () => agent.destroy() };
}

/** A database of the application under test. */
interface Served {
  /** Its address, for the application. */
  address: string;
  /** Rows of it, once the application has ended. */
  ask(query: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const DATABASES = {
  postgres: {
    lines: POSTGRES,
    async start(): Promise<Served> {
      const { port, admin, stop } = await startPostgres(bin!);
      const address = `postgres://framework@127.0.0.1:${port}/postgres`;
      return { address, stop, ask: async (query) => (await admin.query(query)).rows };
    },
  },
  mariadb: {
    lines: MARIADB,
    async start(): Promise<Served> {
      const { port, ask, stop } = await startMariadb(programs!);
      return { address: `mysql://root@127.0.0.1:${port}/app`, ask, stop };
    },
  },
  sqlite: {
    lines: SQLITE,
    async start(): Promise<Served> {
      const folder = await Deno.makeTempDir({ prefix: "framework-shutdown-" });
      const address = join(folder, "app.db");
      return {
        address,
        ask(query) {
          using opened = new DatabaseSync(address);
          return Promise.resolve(opened.prepare(query).all());
        },
        stop: () => Deno.remove(folder, { recursive: true }),
      };
    },
  },
};

interface Setup {
  /** The program of the runtime. */
  runtime(): Promise<{ command: string; args: string[] }>;
  server: "node" | "deno";
  database: keyof typeof DATABASES;
  /** Changes the guide's lines. */
  change?(lines: string): string;
  /** Number of answers over one connection after which it is certain that the server does not end. Default: it ends. */
  goesOn?: number;
}

async function endInUse(
  { runtime, server, database, change, goesOn }: Setup,
): Promise<void> {
  const { lines: opening, start } = DATABASES[database];
  const served = await start();
  const service = await startService();
  // Within the repository, whose packages the program imports.
  const outputs = join(repositoryRoot, "tests", "output");
  await Deno.mkdir(outputs, { recursive: true });
  const folder = await Deno.makeTempDir({ dir: outputs, prefix: "shutdown-" });
  const port = freePort();
  const client = createClient(port);
  // Of whom a request is under way when the server is told to end, over its one connection.
  const kept = createClient(port);
  try {
    const documented = (await shutdownLines())[server];
    const lines = change?.(documented) ?? documented;
    assert.equal(lines === documented, change === undefined);
    const source = join(folder, "server.ts");
    const text = [
      ...[opening, APPLICATION],
      ...[server === "node" ? NODE : DENO],
      database === "sqlite" ? lines.replace("pool.end()", "file.close()") : lines,
      server === "node" ? "" : 'server.finished.then(() => console.log("closed"));',
    ];
    await Deno.writeTextFile(source, text.join("\n"));
    const [bundle] = await bundleEntries([source], { external: ["pg", "mysql2"] });
    const program = join(folder, bundle!.name);
    await Deno.writeTextFile(program, bundle!.text);
    const { command, args } = await runtime();
    const child = startChild(command, [...args, program], {
      cwd: folder,
      env: {
        PORT: String(port),
        DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
        BASE_URL: `http://127.0.0.1:${port}`,
        SERVICE: service.url,
        DATABASE: served.address,
      },
    });
    let over = false;
    try {
      await child.waitFor(/listening/i);
      const signedIn: string[] = [];
      const mailed: string[] = [];
      const seen = new Set<number | string>();
      const clients = Array.from({ length: CLIENTS }, async (_, one) => {
        for (let round = 0; !over; round++) {
          const name = `user-${one}-${round}`;
          const n = round * CLIENTS + one;
          const email = `owner-${n}@example.com`;
          const asked = round % 3;
          const answer = asked === 0
            ? await client.ask("/auth/signin/credentials", { name })
            : asked === 1 && n < USERS
            ? await client.ask("/auth/forgot", { email })
            : await client.ask("/");
          seen.add(answer);
          if (answer === "ECONNREFUSED") break;
          if (answer !== 200) continue;
          if (asked === 0) signedIn.push(name);
          if (asked === 1 && n < USERS) mailed.push(`mail ${email}`);
        }
      });
      await until(
        () => Promise.resolve(Math.min(signedIn.length, mailed.length) >= CLIENTS),
        () => `The clients are not served:\n${child.output()}`,
      );
      const slow = kept.ask("/slow");
      await until(
        () => Promise.resolve(service.asked.includes("slow")),
        () => `The request does not arrive:\n${child.output()}`,
      );

      Deno.kill(child.pid, "SIGTERM");
      await until(
        async () => {
          const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
          connection?.close();
          return connection === null;
        },
        () => `The server still listens:\n${child.output()}`,
      );
      service.open("slow");
      assert.equal(await slow, 200);
      for (let asked = 0; asked < (goesOn ?? 0); asked++) assert.equal(await kept.ask("/"), 200);
      if (goesOn !== undefined) return;
      await child.waitFor(/closed/);
      await Promise.all(clients);
      // Whatever was answered has its mail or its note still before it.
      service.open("event", "mail");
      assert.equal(await child.ended, 0, child.output());
      assert.match(child.output(), /^listening.*\nclosed\n$/i);

      // Each answered request has had its effects, and no other one has.
      for (const answer of seen) assert.ok([200, ...UNSERVED].includes(answer), `${answer}`);
      const mails = service.asked.filter((asked) => asked.startsWith("mail "));
      assert.deepEqual(mails.sort(), mailed.sort());
      for (const query of ["SELECT what FROM noted", "SELECT user_id AS what FROM sessions"]) {
        const rows = await served.ask(query);
        assert.deepEqual(rows.map(({ what }) => what).sort(), signedIn.sort(), query);
      }
    } finally {
      over = true;
      service.open("slow", "event", "mail");
      try {
        Deno.kill(child.pid, "SIGKILL");
      } catch {
        // It has ended, as it should.
      }
      await child.ended;
    }
  } finally {
    client.close();
    kept.close();
    service.close();
    await served.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

const deno = () => Promise.resolve({ command: Deno.execPath(), args: ["run", "-A", "--no-check"] });
const node = (version: "oldest" | "newest") => async () => ({
  command: (await findNodes())[version],
  args: version === "newest" ? [] : ["--no-warnings"],
});

// Each of the guide's lines has one runtime on each push, and one of them a server for its database.
const DAILY: [name: string, setup: Setup][] = [
  ["Node 20 with PostgreSQL", { runtime: node("oldest"), server: "node", database: "postgres" }],
  ["Deno with SQLite", { runtime: deno, server: "deno", database: "sqlite" }],
];

const RARE: [name: string, setup: Setup][] = [
  ["Deno with PostgreSQL", { runtime: deno, server: "deno", database: "postgres" }],
  ["newest Node with MariaDB", { runtime: node("newest"), server: "node", database: "mariadb" }],
  ["newest Node with SQLite", { runtime: node("newest"), server: "node", database: "sqlite" }],
  ["Deno, a server of Node's, with SQLite", { runtime: deno, server: "node", database: "sqlite" }],
];

for (const [name, setup] of inMatrix ? [...DAILY, ...RARE] : DAILY) {
  const needsNode = setup.runtime !== deno && !nodeIsAvailable;
  const needsPostgres = setup.database === "postgres" && bin === null;
  const needsMariadb = setup.database === "mariadb" && programs === null;
  Deno.test({
    name: `a server in use that is told to end loses nothing that it answered: ${name}${
      needsPostgres ? `: ${postgresHint}` : needsMariadb ? ` [unavoidable: ${mariadbHint}]` : ""
    }`,
    ignore: needsNode || needsPostgres || needsMariadb,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => endInUse(setup),
  });
}

Deno.test({
  name: "without settled() what goes on behind the answers is lost",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    assert.rejects(
      endInUse({
        runtime: deno,
        server: "deno",
        database: "sqlite",
        change: (lines) => lines.replace("await settled();", ""),
      }),
      /event-listener-failed/,
    ),
});

Deno.test({
  name: "a server of Node that only closes goes on answering who keeps a connection",
  ignore: !nodeIsAvailable,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    endInUse({
      runtime: node("newest"),
      server: "node",
      database: "sqlite",
      change: () => 'process.once("SIGTERM", () => server.close(() => pool.end()));',
      goesOn: 200,
    }),
});
