/**
 * Measures what the runtime costs: a JSON route beside bare Hono, and an application of 1,000 routes beside one of
 * ten, in workerd.
 *
 * Usage: `deno run -A scripts/bench/runtime.ts`
 *
 * Prints medians of interleaved rounds and the ratios that matter. Compare ratios; times depend on the machine. The exit code
 * is 1 when a ratio is above its goal.
 *
 * @module
 */

import { Miniflare } from "miniflare";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createFixtureApp, type FixtureApp } from "../../tests/cli/fixture_app.ts";
import { runFramework } from "../../tests/cli/framework.ts";
import { bundleEntries } from "../../tests/support/bundle.ts";
import { runRounds, type Timing } from "./rounds.ts";

const GOALS = { overHono: 1.3, firstRequest: 2, routing: 1.3 } as const;
let missed = 0;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function judge(what: string, ratio: number, goal: number): void {
  if (ratio > goal) missed++;
  print(
    `  ${what}: ${ratio.toFixed(2)}× (at most ${goal}×)${ratio > goal ? ", above the goal" : ""}`,
  );
}

function show(timings: readonly Timing[]): (name: string) => number {
  for (const { name, microseconds, noise } of timings) {
    const time = microseconds.toFixed(1).padStart(9);
    print(`  ${time} µs  ±${(noise * 100).toFixed(0).padStart(2)} %  ${name}`);
  }
  return (name) => timings.find((timing) => timing.name === name)!.microseconds;
}

function emulate(script: string): Miniflare {
  return new Miniflare({
    // As a list: a script alone is searched for imports first, which is not the worker's time.
    modules: [{ type: "ESModule", path: "worker.js", contents: script }],
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
    handleStructuredLogs: () => {},
  });
}

async function measureJsonRoute(): Promise<void> {
  const entry = fileURLToPath(new URL("json_route.ts", import.meta.url));
  const [output] = await bundleEntries([entry]);
  const emulator = emulate(output!.text);
  try {
    const { origin } = await emulator.ready;
    const ask = (search: string) => async () =>
      void await (await fetch(`${origin}/api/things5/7${search}`)).text();
    print("\nA request for a JSON route over HTTP");
    const over = show(
      await runRounds([
        { name: "bare Hono", run: ask("?hono") },
        { name: "the framework", run: ask("") },
      ], { rounds: 40, jobs: 100 }),
    );
    judge(
      "the framework over bare Hono",
      over("the framework") / over("bare Hono"),
      GOALS.overHono,
    );
    print("\nThe handler alone, called within the worker");
    const alone = show(await (await fetch(`${origin}/measure`)).json());
    judge(
      "1,000 routes over ten",
      alone("the framework, 1000 routes") / alone("the framework, 10 routes"),
      GOALS.routing,
    );
  } finally {
    await emulator.dispose();
  }
}

/** An application with pages in folders of ten, each of which loads something. */
async function buildApplication(pages: number): Promise<FixtureApp> {
  const files: Record<string, string> = {
    "app/layout.tsx": "export default ({ children }) => <html><body>{children}</body></html>;",
  };
  for (let number = 0; number < pages; number++) {
    const folder = `app/section${Math.floor(number / 10)}/page${number}/[id]`;
    files[`${folder}/page.tsx`] = `export const metadata = { title: "Page ${number}" };
export function loader({ params }) { return { id: params.id, number: ${number} }; }
export default function Page${number}({ data }) {
  return <main><h1>Page {data.number}</h1><p>{data.id}</p><a href="/section0/page0/1">back</a></main>;
}`;
  }
  const app = await createFixtureApp(files);
  const { code, stderr } = await runFramework(app.root, "build");
  if (code !== 0) throw new Error(stderr);
  return app;
}

/** Milliseconds from a started workerd's first request, which also evaluates the worker, to the end of its response. */
async function firstRequest(
  app: FixtureApp,
  pages: number,
): Promise<{ start: number; ask: number }> {
  const script = await Deno.readTextFile(join(app.root, "dist/worker.js"));
  const begun = performance.now();
  const emulator = emulate(script);
  try {
    const { origin } = await emulator.ready;
    const ready = performance.now();
    const last = pages - 1;
    const response = await fetch(`${origin}/section${Math.floor(last / 10)}/page${last}/7`);
    if (!(await response.text()).includes(`<title>Page ${last}</title>`)) {
      throw new Error("not the page");
    }
    return { start: ready - begun, ask: performance.now() - ready };
  } finally {
    await emulator.dispose();
  }
}

async function measureFirstRequest(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const sizes = [10, 1000];
  const times = new Map<number, { start: number; ask: number }[]>();
  const apps = new Map<number, FixtureApp>();
  for (const pages of sizes) apps.set(pages, stack.use(await buildApplication(pages)));
  for (let round = 0; round < 9; round++) {
    for (const pages of sizes) {
      const time = await firstRequest(apps.get(pages)!, pages);
      times.set(pages, [...times.get(pages) ?? [], time]);
    }
  }
  print("\nThe first request of a worker");
  const median = (pages: number, part: "start" | "ask"): number =>
    times.get(pages)!.map((time) => time[part]).toSorted((a, b) => a - b)[4]!;
  for (const pages of sizes) {
    const [start, ask] = [median(pages, "start"), median(pages, "ask")];
    print(
      `  ${ask.toFixed(1).padStart(9)} ms  ${pages} pages (workerd was ready after ${
        start.toFixed(0)
      } ms)`,
    );
  }
  judge("1,000 pages over ten", median(1000, "ask") / median(10, "ask"), GOALS.firstRequest);
  judge(
    "with the start of workerd",
    (median(1000, "ask") + median(1000, "start")) / (median(10, "ask") + median(10, "start")),
    GOALS.firstRequest,
  );
}

await measureJsonRoute();
await measureFirstRequest();
Deno.exitCode = missed === 0 ? 0 : 1;
