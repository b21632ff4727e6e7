/**
 * Measures a check of the limiter in memory beside rate-limiter-flexible, which is installed into a temporary
 * folder, and how many each lets through across the border of a window.
 *
 * Usage: `deno run -A scripts/bench/limiter.ts`
 *
 * @module
 */

import { createMemoryRateLimitStorage, createRateLimiter } from "@framework/auth/rate-limit";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { type Contender, runRounds } from "./rounds.ts";

const PEER = "rate-limiter-flexible@11.4.0";
const KEYS = 10_000;

/** What is used of the peer. */
interface Peer {
  RateLimiterMemory: new (options: { points: number; duration: number }) => {
    consume(key: string): Promise<unknown>;
  };
}

async function installPeer(): Promise<Peer> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  await Deno.writeTextFile(join(folder, "package.json"), '{ "private": true }');
  await Deno.writeTextFile(join(folder, "deno.json"), '{ "nodeModulesDir": "auto" }');
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["add", "--quiet", `npm:${PEER}`],
    cwd: folder,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  const peer = createRequire(join(folder, "package.json"))("rate-limiter-flexible");
  await Deno.remove(folder, { recursive: true });
  return peer;
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const addresses = Array.from({ length: KEYS }, (_, index) => {
  return `10.${index >> 16}.${index >> 8 & 255}.${index & 255}`;
});

/** The contenders for checks that are let through, or refused: then the limit is one. */
function contenders(
  { RateLimiterMemory }: Peer,
  limit: number,
): Contender[] {
  let turn = 0;
  const nextAddress = () => addresses[turn++ % KEYS]!;
  const storage = createMemoryRateLimitStorage();
  const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
    name: "bench",
    limit,
    window: 3600,
    clientAddress: nextAddress,
  });
  const peer = new RateLimiterMemory({ points: limit, duration: 3600 });
  const request = new Request("https://app.example/");
  return [
    {
      name: "storage, by key",
      run: () =>
        storage.takeRateLimit(nextAddress(), { limit, window: 3_600_000, now: Date.now() }),
    },
    { name: "limiter.check(request)", run: () => limiter.check(request) },
    { name: PEER, run: () => peer.consume(nextAddress()).catch(() => {}) },
  ];
}

/** The most that 10 in 10 seconds let through within any 10 seconds, tried at the worst moments. */
async function worstBurst(
  allow: (now: number) => Promise<boolean>,
): Promise<number> {
  const real = Date.now;
  const start = real();
  const admitted: number[] = [];
  try {
    for (const [after, count] of [[0, 1], [9900, 20], [10_000, 20], [10_100, 20]] as const) {
      const now = start + after;
      Date.now = () => now;
      for (let index = 0; index < count; index++) if (await allow(now)) admitted.push(now);
    }
  } finally {
    Date.now = real;
  }
  return Math.max(...admitted.map((end) => {
    return admitted.filter((time) => time > end - 10_000 && time <= end).length;
  }));
}

const peer = await installPeer();
const lines: string[] = [];
for (const [what, limit] of [["let through", 1000], ["refused", 1]] as const) {
  const timings = await runRounds(contenders(peer, limit), {
    rounds: 20,
    jobs: 20_000,
    clock: cpuTime,
  });
  const theirs = timings.at(-1)!.microseconds;
  for (const { name, microseconds, noise } of timings) {
    lines.push(
      `${what}: ${name}: ${(1 / microseconds).toFixed(2)} million/s ` +
        `(±${(noise * 100).toFixed(0)} %, ${(theirs / microseconds).toFixed(1)} × the peer)`,
    );
  }
}

const storage = createMemoryRateLimitStorage();
const own = await worstBurst(async (now) => {
  return (await storage.takeRateLimit("k", { limit: 10, window: 10_000, now })).allowed;
});
const other = new peer.RateLimiterMemory({ points: 10, duration: 10 });
const theirs = await worstBurst(() => other.consume("k").then(() => true, () => false));
lines.push(`10 in 10 seconds, worst span: ${own}, ${PEER}: ${theirs}`);
// deno-lint-ignore no-console -- this program prints
console.log(lines.join("\n"));
// The peer's timers would keep the process for an hour.
Deno.exit();
