import process from "node:process";
import { createInterface } from "node:readline";
import { carryOut, type Contenders, type Order } from "./contender.ts";
import type { Peers } from "./peers.ts";

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Bytes of living objects, and of all that the process has, where it was started with `--expose-gc`. */
function memory(): { heap: number | null; resident?: number } {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) return { heap: null };
  for (let turn = 0; turn < 3; turn++) collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

/**
 * Is one contender, in Deno or Node: carries out the orders that come as lines of JSON, and answers each with the
 * CPU time that it took, in microseconds.
 */
export async function serveProcess(contenders: Contenders, peers: Peers): Promise<void> {
  const name = process.argv.at(-1)!;
  const job = await contenders[name]!({ peers, bindings: {} });
  await job();
  print("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line) as Order;
    await job.prepare?.(order.jobs);
    const times: number[] | undefined = order.each ? [] : undefined;
    const before = cpuTime();
    await carryOut(job, order, times);
    const microseconds = cpuTime() - before;
    print({ microseconds, batch: job.batch ?? 1, times, ...memory() });
  }
  // Timers of a peer would keep the process.
  process.exit(0);
}
