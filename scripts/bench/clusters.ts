import os from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "../../tests/support/child.ts";
import { findNodes } from "../../tests/support/node.ts";
import { bundleProgram } from "./bundle_program.ts";
import { ratioOf, summarize } from "./compete.ts";
import { progress } from "./contest.ts";
import { type FilledDatabase, KINDS } from "./programs/scale.ts";
import type { Section } from "./report.ts";
import { load } from "./sections/requests.ts";
import type { ClusterPorts } from "./serve_cluster.ts";

/** Number of processes beside each other. */
export const PROCESSES = 4;
const CONNECTIONS = 64;
const SECONDS = 2;

/** Counts of the questions to several processes under load, each of which was answered rightly. */
export interface Exactness {
  /** Sessions that one process ended, and that every process refused at once. */
  ended: number;
  /** Single-use tokens that all processes were given at once, and that opened something once. */
  redeemed: number;
}

async function statusOf(port: number, path: string, cookie = ""): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
  await response.body?.cancel();
  return response.status;
}

function expect(what: string, statuses: readonly number[], expected: readonly number[]): void {
  if (statuses.join() === expected.join()) return;
  throw new Error(`${what}: the processes answered ${statuses.join(", ")}`);
}

/**
 * Ends sessions and redeems tokens until `isOver` says so, and at least once.
 *
 * @param ports One of each process.
 * @throws {Error} When a session outlives its end in one of them, or a token opens something another time.
 */
export async function proveExactness(
  ports: readonly number[],
  isOver: () => boolean,
): Promise<Exactness> {
  const told: Exactness = { ended: 0, redeemed: 0 };
  const all = (path: string, cookie?: string) =>
    Promise.all(ports.map((port) => statusOf(port, path, cookie)));
  do {
    const at = ports[told.ended % ports.length]!;
    const begun = await fetch(`http://127.0.0.1:${at}/begin`);
    const { cookie, token } = await begun.json() as { cookie: string; token: string };
    expect("A session that has begun", await all("/check", cookie), ports.map(() => 200));
    const other = ports[(told.ended + 1) % ports.length]!;
    expect("The end of a session", [await statusOf(other, "/end", cookie)], [200]);
    expect("A session that has ended", await all("/check", cookie), ports.map(() => 401));
    told.ended++;
    const answers = await all(`/redeem?token=${encodeURIComponent(token)}`);
    const sorted = answers.toSorted((a, b) => a - b);
    expect("A single-use token", sorted, ports.map((_, index) => index === 0 ? 200 : 409));
    told.redeemed++;
  } while (!isOver());
  return told;
}

/** A server of one or of several processes. */
interface Server {
  child: Child;
  ports: ClusterPorts;
  rates: number[];
}

/** Options for {@linkcode measureClusters}. */
export interface ClusterOptions {
  rounds: number;
  peers: string;
  databases: FilledDatabase;
}

/** Measures how many requests four processes answer beside one, over one database, and that they are exact. */
export async function measureClusters(
  { rounds, peers, databases }: ClusterOptions,
): Promise<Pick<Section, "about" | "tables" | "goals">> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const [file] = await bundleProgram("handlers_scale.ts", "process", { peers, outdir: folder });
  const { newest } = await findNodes();
  async function start(kind: (typeof KINDS)[number], processes: number): Promise<Server> {
    const place = kind === "SQLite" ? databases.sqlite : databases.postgres;
    const child = startChild(newest, [join(folder, file!), kind], {
      cwd: folder,
      env: {
        BENCH_DATABASE: place,
        NODE_ENV: "production",
        ...processes > 1 && { BENCH_PROCESSES: String(processes) },
      },
    });
    stack.defer(async () => void await child.stop());
    const [line] = await child.waitFor(/\{"port":.*\}/);
    return { child, ports: JSON.parse(line) as ClusterPorts, rates: [] };
  }
  const cores = os.availableParallelism();
  const counts = [1, PROCESSES];
  const servers = new Map<string, Server[]>();
  const exact = new Map<string, Exactness>();
  for (const kind of KINDS) {
    const both = [await start(kind, 1), await start(kind, PROCESSES)];
    servers.set(kind, both);
    const { cookie } = databases.visitors[kind === "SQLite" ? "sqlite" : "postgres"][0]!;
    const told: Exactness = { ended: 0, redeemed: 0 };
    // The first round warms up.
    for (let round = 0; round <= Math.ceil(rounds / 2); round++) {
      progress(`  one and ${PROCESSES} processes with ${kind}, round ${round}`);
      for (const { ports: { port, ports }, rates } of both) {
        const options = { port, cookie, connections: CONNECTIONS, seconds: SECONDS };
        const result = await load(options);
        if (result.errors > 0) throw new Error(`An error with ${kind}: ${result.firstError}`);
        if (round > 0) rates.push(result.requests / result.seconds);
        if (ports === undefined) continue;
        let isOver = false;
        // Another load: what is asked beside it takes from what is counted.
        const beside = load(options).finally(() => isOver = true);
        const found = await proveExactness(ports, () => isOver);
        const { errors, firstError } = await beside;
        if (errors > 0) throw new Error(`An error with ${kind}: ${firstError}`);
        told.ended += found.ended;
        told.redeemed += found.redeemed;
      }
    }
    exact.set(kind, told);
  }
  const name = (count: number) => count === 1 ? "one process" : `${count} processes`;
  return {
    about:
      `Of several processes on one machine with ${cores} cores, \`node:cluster\` hands each connection to the next; ` +
      `each request over ${CONNECTIONS} connections asks who is signed in. The client has no core of its own, nor has PostgreSQL. ` +
      "Under the same load, sessions begin in one process and end in another, and are refused by each at once; " +
      "single-use tokens are redeemed by all at once. A single wrong answer ends the benchmark.",
    tables: [
      {
        title: `Requests, ${cores} cores`,
        columns: [...KINDS],
        rows: counts.map((count, index) => ({
          name: name(count),
          figures: KINDS.map((kind) => {
            const { microseconds: value, noise } = summarize(servers.get(kind)![index]!.rates);
            return { value, unit: "/s" as const, noise };
          }),
        })),
        base: name(1),
      },
      {
        title: `${PROCESSES} processes under load`,
        columns: [...KINDS],
        rows: [
          {
            name: "ended in one, refused by all at once",
            figures: KINDS.map((kind) => ({ value: exact.get(kind)!.ended, unit: "" as const })),
          },
          {
            name: "redeemed by all at once, opened once",
            figures: KINDS.map((kind) => ({ value: exact.get(kind)!.redeemed, unit: "" as const })),
          },
        ],
      },
    ],
    goals: KINDS.map((kind) => {
      const [one, several] = servers.get(kind)!.map(({ rates }) => summarize(rates));
      return {
        what: `${kind}: requests of ${PROCESSES} processes over one, ${cores} cores`,
        value: ratioOf(several!, one!),
        unit: "×",
        is: "at least",
        // Four fifths of what the cores are.
        limit: 0.8 * Math.min(PROCESSES, cores),
      };
    }),
  };
}
