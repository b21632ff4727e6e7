/**
 * Keeps two servers at 80 % of what they can do together on this machine (asked anew every two minutes), for an hour:
 * the library with sessions in tokens in workerd, and with sessions in SQLite on Node. Every fiftieth request signs
 * somebody in and out.
 *
 * Usage: `deno task soak [--minutes N]`
 *
 * All of it stays on 127.0.0.1. The exit code is 1 when a request failed, when the servers fell behind, or when memory
 * grew.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { findNodes } from "../../tests/support/node.ts";
import { startChild } from "../../tests/support/child.ts";
import { bundleProgram } from "./bundle_program.ts";
import { residentBytes } from "./cpu_time.ts";
import type { LoadResult } from "./load.ts";
import { installPeers } from "./peers.ts";
import { load } from "./sections/requests.ts";
import { startWorkerd } from "./workerd.ts";

const PART = 0.8;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 10;
const CAPACITY_SECONDS = 10;
const CHUNK_SECONDS = 30;
// How much a machine that others share can do changes from minute to minute: after so many chunks it is asked anew.
const CHUNKS_AT_ONE_RATE = 4;
/**
 * Bytes by which the part of a heap for young objects, which grows and shrinks, makes processes larger or smaller. What
 * is lost at each request shows all the same: two bytes are as much after an hour of 4,000 requests in a second.
 */
const YOUNG_OBJECTS = 32_000_000;

/** A server under load. */
interface Server {
  name: string;
  pid: number;
  port: number;
  cookie: string;
  stop(): Promise<unknown>;
}

async function cookieOf(port: number): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}/cookie`)).text();
}

async function startWorkerServer(folder: string, peers: string): Promise<Server> {
  const outdir = join(folder, "worker");
  const files = await bundleProgram("handlers_soak_worker.ts", "worker", { peers, outdir });
  const started = await startWorkerd(outdir, files, [
    { name: "soak", bindings: { CONTENDER: "soak" } },
  ]);
  const port = Number(new URL(started.origins.get("soak")!).port);
  const name = "workerd, sessions in tokens";
  return { name, pid: started.pid, port, cookie: await cookieOf(port), stop: started.stop };
}

async function startNodeServer(folder: string, peers: string): Promise<Server> {
  const outdir = join(folder, "process");
  const [file] = await bundleProgram("handlers_soak_process.ts", "process", { peers, outdir });
  const { newest } = await findNodes();
  const child = startChild(newest, [join(outdir, file!), "soak"], { cwd: folder });
  const port = Number((await child.waitFor(/"port":(\d+)/))[1]);
  const name = "Node, sessions in SQLite";
  return { name, pid: child.pid, port, cookie: await cookieOf(port), stop: child.stop };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Totals of a server over all chunks. */
interface Total {
  requests: number;
  errors: number;
  firstError: string | undefined;
  seconds: number;
  /** Requests that were to be answered at 80 %, and those that were. */
  due: number;
  kept: number;
  slowest: number;
  /** Bytes in memory after each chunk. */
  memory: number[];
}

function addTo(total: Total, result: LoadResult, rate?: number): void {
  total.requests += result.requests;
  total.errors += result.errors;
  total.firstError ??= result.firstError;
  total.seconds += result.seconds;
  if (rate === undefined) return;
  total.due += rate * result.seconds;
  total.kept += result.requests;
  total.slowest = Math.max(total.slowest, result.percentile99);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/**
 * Growth of memory: the last third of the samples relative to the one before. The first third is
 * left out, in which heaps take their size.
 */
export function memoryGrowth(
  samples: readonly number[],
): { from: number; to: number; isFlat: boolean } {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const to = median(samples.slice(-third));
  const from = samples.length < 2 ? to : median(samples.slice(-2 * third, -third));
  return { from, to, isFlat: to <= from * 1.1 + YOUNG_OBJECTS };
}

async function soak(servers: readonly Server[], minutes: number): Promise<boolean> {
  const all = (seconds: number, rates?: number[]) =>
    Promise.all(servers.map(({ port, cookie }, index) => {
      const rate = rates?.[index];
      return load({
        port,
        cookie,
        connections: CONNECTIONS,
        seconds,
        ...rate !== undefined && { rate },
      });
    }));
  const totals = servers.map((): Total => ({
    requests: 0,
    errors: 0,
    firstError: undefined,
    seconds: 0,
    due: 0,
    kept: 0,
    slowest: 0,
    memory: [],
  }));
  async function measureRates(): Promise<number[]> {
    const results = await all(CAPACITY_SECONDS);
    return results.map((result, index) => {
      addTo(totals[index]!, result);
      const most = result.requests / result.seconds;
      print(
        `${servers[index]!.name}: ${Math.round(most)} requests/s at most, ${
          Math.round(most * PART)
        } from now on`,
      );
      return most * PART;
    });
  }

  await all(WARM_UP_SECONDS);
  const end = performance.now() + minutes * 60_000;
  let rates: number[] = [];
  for (let chunk = 0; performance.now() < end - 1000; chunk++) {
    if (chunk % CHUNKS_AT_ONE_RATE === 0) rates = await measureRates();
    const left = Math.max(1, (end - performance.now()) / 1000);
    const results = await all(Math.min(CHUNK_SECONDS, left), rates);
    for (const [index, server] of servers.entries()) {
      addTo(totals[index]!, results[index]!, rates[index]);
      totals[index]!.memory.push(await residentBytes(server.pid) ?? 0);
    }
    const texts = servers.map(({ name }, index) => {
      const { requests, errors, memory } = totals[index]!;
      return `${name}: ${requests} requests, ${errors} errors, ${
        (memory.at(-1)! / 1e6).toFixed(0)
      } MB`;
    });
    print(
      `${Math.max(0, left - CHUNK_SECONDS).toFixed(0).padStart(5)} s to go; ${texts.join("; ")}`,
    );
  }
  return servers.map(({ name }, index) => judge(name, totals[index]!)).every(Boolean);
}

function judge(name: string, total: Total): boolean {
  const { requests, errors, firstError, seconds, due, kept, slowest, memory } = total;
  const reached = kept / due;
  const { from, to, isFlat } = memoryGrowth(memory);
  const faults = [
    errors > 0 ? `${errors} errors, the first: ${firstError}` : null,
    reached < 0.95 ? `${Math.round(reached * 100)} % of the requests that were due` : null,
    isFlat ? null : "memory grew",
  ].filter((fault) => fault !== null);
  print(
    `${name}: ${requests} requests in ${
      seconds.toFixed(0)
    } s, ${errors} errors, 99 of 100 within ` +
      `${slowest.toFixed(1)} ms, memory from ${(from / 1e6).toFixed(0)} to ${
        (to / 1e6).toFixed(0)
      } MB: ` +
      (faults.length === 0 ? "ok" : faults.join("; ")),
  );
  return faults.length === 0;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60)) {
    process.stderr.write("--minutes takes a number above 0 and up to 1440\n");
    process.exit(2);
  }
  const folder = await Deno.makeTempDir({ prefix: "framework-soak-" });
  const servers: Server[] = [];
  let isGood = false;
  try {
    const peers = await installPeers();
    servers.push(await startWorkerServer(folder, peers));
    servers.push(await startNodeServer(folder, peers));
    isGood = await soak(servers, minutes);
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
    await Deno.remove(folder, { recursive: true });
  }
  // Not by the end of all work: the bundler ends a moment later.
  process.exit(isGood ? 0 : 1);
}
