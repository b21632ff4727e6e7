import { fileURLToPath } from "node:url";
import { findNodes } from "../../../tests/support/node.ts";
import { run } from "../../run_command.ts";
import { bundleProgram } from "../bundle_program.ts";
import { summarize } from "../compete.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { cpuTimeOf } from "../cpu_time.ts";
import type { LoadOptions, LoadResult } from "../load.ts";
import { handlers } from "../programs/handlers.ts";
import type { Figure, Section, Unit } from "../report.ts";
import { startWorkerd, type WorkerdProcess } from "../workerd.ts";

const EMPTY = "an empty worker";
const LIBRARY = "the library";
const SECONDS = 1.5;
const CONNECTIONS = 32;

/** Sends load to a server, from a process of its own. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { newest } = await findNodes();
  const program = fileURLToPath(new URL("../load.ts", import.meta.url));
  const { stdout } = await run(newest, [program, JSON.stringify(options)]);
  return JSON.parse(stdout) as LoadResult;
}

interface Server {
  name: string;
  process: WorkerdProcess;
  port: number;
  cookie: string;
  perSecond: number[];
  microseconds: number[];
}

async function startServer(name: string, folder: string, files: string[]): Promise<Server> {
  const process = await startWorkerd(folder, files, [{ name, bindings: { CONTENDER: name } }]);
  const origin = process.origins.get(name)!;
  const cookie = await (await fetch(`${origin}/cookie`)).text();
  const port = Number(new URL(origin).port);
  return { name, process, port, cookie, perSecond: [], microseconds: [] };
}

async function measureOnce(server: Server): Promise<void> {
  const { process: { pid }, port, cookie, name } = server;
  const before = await cpuTimeOf(pid);
  const result = await load({ port, cookie, connections: CONNECTIONS, seconds: SECONDS });
  const after = await cpuTimeOf(pid);
  if (result.errors > 0) throw new Error(`"${name}" answered with an error: ${result.firstError}`);
  server.perSecond.push(result.requests / result.seconds);
  if (before !== null && after !== null) {
    server.microseconds.push((after - before) / result.requests);
  }
}

function figure(measured: number[], unit: Unit): Figure | null {
  if (measured.length === 0) return null;
  const { microseconds: value, noise } = summarize(measured);
  return { value, unit, noise };
}

/** Measures how many requests a worker answers that looks who is signed in. */
export async function measureRequests({ rounds, peers }: BenchOptions): Promise<Section> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  const servers: Server[] = [];
  try {
    const files = await bundleProgram("handlers.ts", "worker", { peers, outdir: folder });
    for (const name of Object.keys(handlers)) servers.push(await startServer(name, folder, files));
    // The first round warms up.
    for (let round = 0; round <= Math.ceil(rounds / 4); round++) {
      progress(`  round ${round}`);
      for (const server of servers) {
        await measureOnce(server);
        if (round === 0) [server.perSecond, server.microseconds] = [[], []];
      }
    }
  } finally {
    await Promise.all(servers.map(({ process }) => process.stop()));
    await Deno.remove(folder, { recursive: true });
  }
  const rows = servers.map(({ name, perSecond, microseconds }) => ({
    name,
    figures: [figure(perSecond, "/s"), figure(microseconds, "µs")],
  }));
  const rate = (name: string) => rows.find((row) => row.name === name)!.figures[0]!.value;
  return {
    name: "requests",
    title: "Requests through a worker",
    about:
      `Over HTTP to one workerd, ${CONNECTIONS} connections, answered with the name of whoever is signed in by a ` +
      "token. The client runs on the machine's other core.",
    tables: [{ title: "workerd", columns: ["requests", "CPU of one"], rows, base: EMPTY }],
    goals: [{
      what: "workerd: requests with the library's check over an empty worker's",
      value: rate(LIBRARY) / rate(EMPTY),
      unit: "×",
      is: "at least",
      limit: 0.65,
    }],
  };
}
