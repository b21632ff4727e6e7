import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { type Child, startChild } from "./child.ts";
import { freePort } from "./free_port.ts";
import { until } from "./until.ts";

const DOCUMENTED = join(repositoryRoot, "tests/storage/documented/postgres_server.ts");

/** Changes of a text: each of the first, which it has once, becomes the second. */
export type Changes = readonly [now: string, then: string][];

/**
 * What a test adds to the documented server: a way to sign up, one to sign in with the documented query, and one-time
 * tokens.
 */
const ADDED: Changes = [
  ["providers: [],", "providers: [byName], rateLimit: false,"],
  [
    "const auth =",
    `import {
  createUser, credentials, issueOneTimeToken, redeemOneTimeToken, startSession,
} from "@framework/auth";
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
app.post("/token/:name", async (c) => c.text(await issueOneTimeToken("test", c.req.param("name"))));
app.post("/redeem/:token", async (c) =>
  c.text((await redeemOneTimeToken("test", c.req.param("token")))?.userId ?? "", 200));

export default app;`,
  ],
];

/** An answer of a server; a status of 0 when its process has gone. */
export interface Answer {
  status: number;
  cookie: string;
  text: string;
}

/** Sends a request, and follows no redirect. */
export async function send(
  origin: string,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  try {
    const response = await fetch(`${origin}${path}`, { redirect: "manual", ...init });
    return {
      status: response.status,
      text: await response.text(),
      cookie: response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; "),
    };
  } catch {
    return { status: 0, cookie: "", text: "" };
  }
}

/** Posts from the own origin. */
export function post(origin: string, path: string, cookie?: string): Promise<Answer> {
  const headers = { origin, ...cookie !== undefined && { cookie } };
  return send(origin, path, { method: "POST", headers });
}

/** Signs in by the name alone. */
export function signIn(origin: string, name: string): Promise<Answer> {
  const headers = { origin, "content-type": "application/json", accept: "application/json" };
  return send(origin, "/auth/signin/credentials", {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
  });
}

/** Several processes of one server. */
export interface ServedProcesses {
  /** Where each of them is reached. */
  readonly origins: readonly string[];
  /** What they wrote last. */
  said(): string;
  /** Kills one at once, and starts it again. */
  kill(index: number): Promise<void>;
  /** Waits until each of them signs people up. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts processes of the server that docs/databases.md shows.
 *
 * @param changes What is another in it, beside the ways to sign up and in.
 */
export async function serveProcesses(
  { count, changes, env }: { count: number; changes: Changes; env: Record<string, string> },
): Promise<ServedProcesses> {
  let text = await Deno.readTextFile(DOCUMENTED);
  for (const [now, then] of [...changes, ...ADDED]) {
    assert.equal(text.split(now).length, 2, now);
    text = text.replace(now, () => then);
  }
  const folder = join(repositoryRoot, "tests/output");
  await Deno.mkdir(folder, { recursive: true });
  const program = join(folder, `served_${Deno.pid}_${crypto.randomUUID()}.ts`);
  await Deno.writeTextFile(program, text);
  const ports = Array.from({ length: count }, freePort);
  const origins = ports.map((port) => `http://localhost:${port}`);
  const start = (index: number): Child =>
    startChild(
      Deno.execPath(),
      [
        ...["serve", "-A", "--no-check", "--host", "127.0.0.1", "--port", String(ports[index])],
        program,
      ],
      { cwd: repositoryRoot, env: { BASE_URL: origins[index]!, ...env } },
    );
  const children = ports.map((_, index) => start(index));
  const said = () => children.map((child) => child.output().slice(-3000)).join("\n--\n");
  return {
    origins,
    said,
    async kill(index) {
      const child = children[index]!;
      Deno.kill(child.pid, "SIGKILL");
      await child.ended;
      children[index] = start(index);
    },
    async ready() {
      await Promise.all(origins.map((origin) =>
        until(
          async () => {
            const { status, cookie } = await post(origin, `/signup/${crypto.randomUUID()}`);
            const seen = await send(origin, "/account", { headers: { cookie } });
            return status === 200 && seen.status === 200;
          },
          () => `${origin} does not come back:\n${said()}`,
        )
      ));
    },
    async stop() {
      for (const { pid, ended } of children) {
        try {
          Deno.kill(pid, "SIGKILL");
        } catch {
          // It has ended.
        }
        await ended;
      }
      await Deno.remove(program);
    },
  };
}

/** Responses to clients while something happened. */
export interface Told {
  /** How often each status was answered. */
  statuses: Map<number, number>;
  /** Names whose sign-up was acknowledged, with the cookie. */
  made: Map<string, string>;
  /** Names whose sign-up was not answered, or by a 503: nobody knows. */
  unknown: Set<string>;
  /** Cookies whose sign-out was acknowledged. */
  ended: Set<string>;
  /** One-time tokens that were redeemed, by their users. */
  used: Map<string, string>;
  /** The longest wait, in milliseconds. */
  slowest: number;
}

/** Clients that sign up, in and out, use one-time tokens and ask who they are, until `over` says so. */
export async function useServers(
  origins: readonly string[],
  { run, clients, told, over }: { run: string; clients: number; told: Told; over: () => boolean },
): Promise<void> {
  async function timed(work: Promise<Answer>): Promise<Answer> {
    const begun = performance.now();
    const answer = await work;
    told.slowest = Math.max(told.slowest, performance.now() - begun);
    told.statuses.set(answer.status, (told.statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }
  await Promise.all(Array.from({ length: clients }, async (_, client) => {
    for (let round = 0; !over(); round++) {
      const origin = origins[(client + round) % origins.length]!;
      const name = `${run}-${client}-${round}`;
      const { status, cookie } = await timed(post(origin, `/signup/${name}`));
      if (status === 200) {
        told.made.set(name, cookie);
        await timed(send(origin, "/account", { headers: { cookie } }));
        const again = await timed(signIn(origin, name));
        if (again.status === 200 && round % 2 === 0) {
          const { status } = await timed(post(origin, "/auth/signout", again.cookie));
          if (status === 303 || status === 200) told.ended.add(again.cookie);
        }
        const issued = await timed(post(origin, `/token/${name}`));
        if (issued.status === 200) {
          const redeemed = await timed(post(origin, `/redeem/${issued.text}`));
          if (redeemed.status === 200) {
            told.used.set(issued.text, redeemed.text === name ? name : "");
          }
        }
      } else if (status === 503 || status === 0) {
        told.unknown.add(name);
      }
      await pause(10);
    }
  }));
}

/** Something that happens while the servers are used. */
export type Fault = (told: Told) => Promise<void>;

/**
 * Lets something happen to servers in use: no process ends, clients get no other error than a 503, whatever was acknowledged
 * is there once and stays ended, and every process serves again by itself.
 *
 * @param count Counts the rows of these users.
 * @param gone True when the fault ends processes, whose clients get no answer.
 */
export async function assertFault(
  { origins, ready, said }: ServedProcesses,
  fault: Fault,
  { clients, count, gone = false }: {
    clients: number;
    count: (users: string[]) => Promise<number>;
    gone?: boolean;
  },
): Promise<{ told: Told; lasted: number; back: number }> {
  const told: Told = {
    ...{ statuses: new Map(), made: new Map(), unknown: new Set() },
    ...{ ended: new Set(), used: new Map(), slowest: 0 },
  };
  let over = false;
  const run = crypto.randomUUID().slice(0, 8);
  const using = useServers(origins, { run, clients, told, over: () => over });
  let times;
  try {
    await until(
      () => Promise.resolve(told.made.size >= clients && told.ended.size > 0),
      () => `The clients are not served: ${JSON.stringify([...told.statuses])}\n${said()}`,
    );
    const begun = performance.now();
    await fault(told);
    const ended = performance.now();
    await ready();
    times = { lasted: ended - begun, back: performance.now() - ended };
  } finally {
    over = true;
    await using;
  }
  for (const status of told.statuses.keys()) {
    assert.ok(status === 0 ? gone : status < 500 || status === 503, `${status}\n${said()}`);
  }
  // Whoever asks again after a 503 finds one result.
  for (const user of told.unknown) {
    assert.match(String((await post(origins[0]!, `/signup/${user}`)).status), /^(?:200|409)$/);
  }
  const users = [...told.made.keys(), ...told.unknown];
  assert.equal(await count(users), users.length);
  const userOf = async (cookie: string) => {
    const { status, text } = await send(origins[1]!, "/auth/session", { headers: { cookie } });
    assert.equal(status, 200);
    return JSON.parse(text)?.user.id ?? null;
  };
  for (const [user, cookie] of [...told.made].slice(-20)) assert.equal(await userOf(cookie), user);
  for (const cookie of told.ended) assert.equal(await userOf(cookie), null);
  for (const [token, user] of told.used) {
    assert.ok(user !== "", "a token was given that opened nothing");
    assert.equal((await post(origins[1]!, `/redeem/${token}`)).text, "");
  }
  return { told, ...times };
}
