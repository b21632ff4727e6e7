import { Miniflare } from "miniflare";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFixtureApp, type FixtureApp } from "../../../tests/cli/fixture_app.ts";
import { runFramework } from "../../../tests/cli/framework.ts";
import { bundleEntries } from "../../../tests/support/bundle.ts";
import { type BenchOptions, progress } from "../contest.ts";
import type { Goal, Row, Section, Table } from "../report.ts";
import { runRounds, type Timing } from "../rounds.ts";

const SIZES = [10, 1000] as const;

function rowOf({ name, microseconds, noise }: Timing): Row {
  return { name, figures: [{ value: microseconds, unit: "µs", noise }] };
}

function atMost(limit: number, what: string, [above, below]: [number, number]): Goal {
  return { what, value: above / below, unit: "×", is: "at most", limit };
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

async function measureJsonRoute(rounds: number): Promise<Pick<Section, "tables" | "goals">> {
  const entry = fileURLToPath(new URL("../json_route.ts", import.meta.url));
  const [output] = await bundleEntries([entry]);
  const emulator = emulate(output!.text);
  try {
    const { origin } = await emulator.ready;
    const ask = (search: string) => async () =>
      void await (await fetch(`${origin}/api/things5/7${search}`)).text();
    const over = await runRounds([
      { name: "bare Hono", run: ask("?hono") },
      { name: "the framework", run: ask("") },
    ], { rounds: rounds * 2, jobs: 100 });
    const alone: Timing[] = await (await fetch(`${origin}/measure`)).json();
    const time = (timings: Timing[], name: string) =>
      timings.find((timing) => timing.name === name)!.microseconds;
    const columns = ["workerd"];
    return {
      tables: [
        {
          title: "Request for JSON over HTTP",
          columns,
          rows: over.map(rowOf),
          base: "the framework",
        },
        {
          title: "The handler alone, within the worker",
          columns,
          rows: alone.map(rowOf),
          base: "the framework, 10 routes",
        },
      ],
      goals: [
        atMost(1.3, "workerd: a JSON route, the framework over bare Hono", [
          time(over, "the framework"),
          time(over, "bare Hono"),
        ]),
        atMost(1.3, "workerd: a JSON route, 1,000 routes over ten", [
          time(alone, "the framework, 1000 routes"),
          time(alone, "the framework, 10 routes"),
        ]),
      ],
    };
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

async function measureFirstRequest(rounds: number): Promise<{ table: Table; goals: Goal[] }> {
  await using stack = new AsyncDisposableStack();
  const times = new Map<number, { start: number; ask: number }[]>();
  const apps = new Map<number, FixtureApp>();
  for (const pages of SIZES) apps.set(pages, stack.use(await buildApplication(pages)));
  for (let round = 0; round < Math.ceil(rounds / 2); round++) {
    for (const pages of SIZES) {
      const time = await firstRequest(apps.get(pages)!, pages);
      times.set(pages, [...times.get(pages) ?? [], time]);
    }
  }
  const median = (pages: number, part: "start" | "ask"): number => {
    const sorted = times.get(pages)!.map((time) => time[part]).toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1]!;
  };
  const both = (pages: number) => median(pages, "ask") + median(pages, "start");
  return {
    table: {
      title: "First request for a page",
      columns: ["request", "with the start of workerd"],
      rows: SIZES.map((pages) => ({
        name: `${pages.toLocaleString("en-US")} pages`,
        figures: [
          { value: median(pages, "ask"), unit: "ms" },
          { value: both(pages), unit: "ms" },
        ],
      })),
    },
    goals: [
      atMost(2, "workerd: the first request, 1,000 pages over ten", [
        median(1000, "ask"),
        median(10, "ask"),
      ]),
      atMost(2, "workerd: the start and the first request, 1,000 pages over ten", [
        both(1000),
        both(10),
      ]),
    ],
  };
}

/** Measures what the runtime of built applications costs. */
export async function measureRuntime({ rounds }: BenchOptions): Promise<Section> {
  progress("  a JSON route");
  const { tables, goals } = await measureJsonRoute(rounds);
  progress("  pages");
  const first = await measureFirstRequest(rounds);
  return {
    name: "runtime",
    title: "The runtime of applications",
    about:
      "A route that answers with JSON beside the same in bare Hono, and an application of 1,000 pages beside one of " +
      "ten. The wall.",
    tables: [...tables, first.table],
    goals: [...goals, ...first.goals],
  };
}
