import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import type { WorkQueueLimits } from "./work_queue.ts";

/** Options for {@linkcode configurePasswordHashing}. */
export interface PasswordHashingOptions {
  /**
   * How many hashes are computed at once, each in 16 MiB of memory. Default: one for each processor and
   * four at most; in workers one, since they compute in one thread. On Node more than four take a larger
   * `UV_THREADPOOL_SIZE`.
   */
  concurrency?: number;
  /** How many may wait for their turn. Default: 50. */
  maxWaiting?: number;
  /** How long one may wait for its turn, in seconds. Default: 5. */
  maxWait?: number;
}

interface Machine {
  navigator?: { hardwareConcurrency?: number; userAgent?: string };
  process?: { getBuiltinModule?(name: string): { availableParallelism?(): number } | undefined };
}

/** As many as there are processors, within bounds. */
export function defaultConcurrency(machine: Machine = globalThis as Machine): number {
  const { navigator, process } = machine;
  // A worker computes in one thread whatever the machine has.
  if (navigator?.userAgent === "Cloudflare-Workers") return 1;
  // Node has a navigator since version 21.
  const processors = navigator?.hardwareConcurrency ??
    process?.getBuiltinModule?.("node:os")?.availableParallelism?.() ?? 2;
  return Math.max(1, Math.min(4, processors));
}

/** The least that each of the options may be. */
const LEAST = { concurrency: 1, maxWaiting: 0, maxWait: 1 };

let chosen: PasswordHashingOptions = {};

/** The limits of the whole process, or isolate. */
export const hashLimits: WorkQueueLimits = {
  // Asked for when there is work: a module's start reads nothing of the machine.
  get concurrency() {
    return chosen.concurrency ?? defaultConcurrency();
  },
  get maxWaiting() {
    return chosen.maxWaiting ?? 50;
  },
  get maxWait() {
    return chosen.maxWait ?? 5;
  },
};

function readCount(path: string, value: unknown): number {
  const least = LEAST[path as keyof typeof LEAST];
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw wrongOption(path, value, `a whole number, ${least} or more`);
}

/**
 * Sets how many passwords are hashed at once in this process, or in this isolate of a worker, and how long
 * anybody waits for that: beyond either bound the answer is a 503 whose `Retry-After` is the time that the
 * queue needs. Call it once, where the configuration stands. What is left out stays as it is.
 *
 * @param options `concurrency`, by default one for each processor and four at most, in workers one;
 * `maxWaiting`, 50 by default; `maxWait` in seconds, 5 by default.
 * @throws {ConfigurationError} For an unknown name, or a value that is no whole number.
 *
 * @example
 * ```ts
 * import { configurePasswordHashing } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * configurePasswordHashing({ concurrency: 8, maxWait: 3 });
 * throws(() => configurePasswordHashing({ concurrency: 0 }), { code: "CONFIGURATION" });
 * ```
 */
export function configurePasswordHashing(options: PasswordHashingOptions): void {
  const path = "configurePasswordHashing()";
  if (!isOptions(options)) throw wrongOption(path, options, "{ concurrency: 4 }");
  checkKeys(options, Object.keys(LEAST), path);
  const read = { ...chosen };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) read[name as keyof typeof LEAST] = readCount(name, value);
  }
  chosen = read;
}
