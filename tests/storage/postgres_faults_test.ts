// Four processes of the server that docs/databases.md shows, on one PostgreSQL to which things happen.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { type Child, startChild } from "../support/child.ts";
import { createFaultyNetwork, type FaultyNetwork } from "../support/faulty_network.ts";
import { freePort } from "../support/free_port.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const bin = await findPostgres();

const DOCUMENTED = join(repositoryRoot, "tests/storage/documented/postgres_server.ts");
const PROCESSES = 4;
const CLIENTS = 12;

// Waiting is short here, so that the test is; FAULTS=documented takes the document's own figures.
const documentedTimes = Deno.env.get("FAULTS") === "documented";
const times = documentedTimes
  ? ""
  : ", { connectionTimeout: 700, statementTimeout: 700, requestTimeout: 1400 }";
const second = documentedTimes ? 1000 : 400;

/**
 * Additions of the test to the document's lines: a way to sign up, and one to sign in, with the
 * documented query.
 */
const ADDED: [now: string, then: string][] = [
  ["postgres(pool)", `postgres(pool${times})`],
  ["providers: [],", "providers: [byName], rateLimit: false,"],
  [
    "const auth =",
    `import { createUser, credentials, startSession } from "@framework/auth";
const byName = credentials({
  credentials: { name: { label: "Name", type: "text", required: true } },
  authorize: async ({ name }) =>
    await database.prepare("SELECT id FROM users WHERE id = ?1").bind(name!)
      .first<{ id: string }>(),
});

const auth =`,
  ],
  [
    "export default app;",
    `app.post("/signup/:name", async (c) => {
  const id = c.req.param("name");
  await createUser({ id, email: \`\${id}@example.com\` });
  await startSession(id);
  return c.json({ id });
});

export default app;`,
  ],
];

interface Answer {
  status: number;
  cookie: string;
}

async function send(origin: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, { redirect: "manual", ...init });
  await response.body?.cancel();
  return {
    status: response.status,
    cookie: response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; "),
  };
}

function signUp(origin: string, name: string): Promise<Answer> {
  return send(origin, `/signup/${name}`, { method: "POST", headers: { origin } });
}

function signIn(origin: string, name: string): Promise<Answer> {
  const headers = { origin, "content-type": "application/json", accept: "application/json" };
  return send(origin, "/auth/signin/credentials", {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
  });
}

/** Responses to clients while something happened. */
interface Told {
  statuses: Map<number, number>;
  /** Names whose sign-up was acknowledged, with the cookie. */
  made: Map<string, string>;
  /** Names whose sign-up ended in a 503: nobody knows. */
  unknown: Set<string>;
  /** The longest wait, in milliseconds. */
  slowest: number;
}

/** Clients that sign up, ask who they are, and sign in again, until `over` says so. */
async function useServers(origins: string[], run: string, over: () => boolean): Promise<Told> {
  const told: Told = { statuses: new Map(), made: new Map(), unknown: new Set(), slowest: 0 };
  async function timed(work: Promise<Answer>): Promise<Answer> {
    const begun = performance.now();
    const answer = await work;
    told.slowest = Math.max(told.slowest, performance.now() - begun);
    told.statuses.set(answer.status, (told.statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let round = 0; !over(); round++) {
      const origin = origins[(client + round) % origins.length]!;
      const name = `${run}-${client}-${round}`;
      const { status, cookie } = await timed(signUp(origin, name));
      if (status === 200) {
        told.made.set(name, cookie);
        await timed(send(origin, "/account", { headers: { cookie } }));
        await timed(signIn(origin, name));
      } else if (status === 503) {
        told.unknown.add(name);
      }
      await pause(10);
    }
  }));
  return told;
}

const FAULTS: Record<
  string,
  (postgres: PostgresServer, network: FaultyNetwork) => Promise<void>
> = {
  "a restart": (postgres) => postgres.restart(),
  "a crash": (postgres) => postgres.restart("SIGQUIT"),
  "a pause of all of its processes": async (postgres) => {
    const resume = await postgres.pause();
    await pause(6 * second);
    resume();
  },
  "packets that are lost": async (_, network) => {
    network.losing = true;
    await pause(3 * second);
    network.losing = false;
  },
  "the end of all connections": async ({ admin }) => {
    for (let round = 0; round < 5; round++) {
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'framework'",
      );
      await pause(50);
    }
  },
};

// Tracks: OP-01, OP-03, F10, F11, F20
Deno.test({
  name: `four processes of the documented server survive what happens to PostgreSQL${
    bin === null ? `: ${postgresHint}` : ""
  }`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const postgres = await startPostgres(bin!);
    const network = createFaultyNetwork(postgres.port);
    const folder = join(repositoryRoot, "tests/output");
    await Deno.mkdir(folder, { recursive: true });
    const program = join(folder, `postgres_server_${Deno.pid}.ts`);
    let text = await Deno.readTextFile(DOCUMENTED);
    for (const [now, then] of ADDED) {
      assert.equal(text.split(now).length, 2, now);
      text = text.replace(now, () => then);
    }
    await Deno.writeTextFile(program, text);
    const ports = Array.from({ length: PROCESSES }, freePort);
    const origins = ports.map((port) => `http://localhost:${port}`);
    const children: Child[] = ports.map((port, index) =>
      startChild(
        Deno.execPath(),
        ["serve", "-A", "--no-check", "--host", "127.0.0.1", "--port", String(port), program],
        {
          cwd: repositoryRoot,
          env: {
            BASE_URL: origins[index]!,
            DATABASE_URL: `postgres://framework@127.0.0.1:${network.port}/postgres`,
          },
        },
      )
    );
    const said = () => children.map((child) => child.output().slice(-3000)).join("\n--\n");
    const ready = (name: string) =>
      Promise.all(origins.map((origin, index) =>
        until(
          async () => {
            const made = await signUp(origin, `${name}-${index}-${crypto.randomUUID()}`);
            const { cookie } = made;
            const seen = await send(origin, "/account", { headers: { cookie } });
            return made.status === 200 && seen.status === 200;
          },
          () => `${origin} does not come back:\n${said()}`,
        )
      ));
    try {
      await ready("start");
      for (const [index, [name, fault]] of Object.entries(FAULTS).entries()) {
        await test.step(name, async () => {
          let over = false;
          const using = useServers(origins, `run${index}`, () => over);
          await pause(second);
          const begun = performance.now();
          await fault(postgres, network);
          const ended = performance.now();
          await ready(`after${index}`);
          const recovered = performance.now();
          over = true;
          const told = await using;
          if (documentedTimes) {
            const [lasted, back] = [ended - begun, recovered - ended].map(Math.round);
            const statuses = JSON.stringify([...told.statuses]);
            // deno-lint-ignore no-console -- asked for
            console.log(
              `${name}: ${lasted} ms, back after ${back} ms, slowest ${
                Math.round(told.slowest)
              } ms, ${statuses}, ${told.unknown.size} unknown`,
            );
          }
          for (const status of told.statuses.keys()) {
            assert.ok(status < 500 || status === 503, `${status}\n${said()}`);
          }
          // Nothing that was acknowledged is lost, and whoever asks again after a 503 finds one result.
          assert.ok(told.made.size > 0);
          for (const user of told.unknown) {
            assert.match(String((await signUp(origins[0]!, user)).status), /^(?:200|409)$/);
          }
          const users = [...told.made.keys(), ...told.unknown];
          const { rows } = await postgres.admin.query(
            "SELECT count(*) AS n FROM users WHERE id = ANY ($1)",
            [users],
          );
          assert.equal(Number(rows[0].n), users.length);
          for (const [user, cookie] of [...told.made].slice(-20)) {
            const response = await fetch(`${origins[1]}/account`, { headers: { cookie } });
            assert.equal((await response.json()).id, user);
          }
        });
      }
    } finally {
      for (const child of children) await child.stop().catch(() => {});
      network.close();
      await postgres.stop();
      await Deno.remove(program);
    }
  },
});

Deno.test("docs/databases.md shows the server that is tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
  assert.ok(guide.includes(`\`\`\`ts ignore\n${await Deno.readTextFile(DOCUMENTED)}\`\`\``));
});
