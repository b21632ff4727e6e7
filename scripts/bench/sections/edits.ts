import { dirname, join } from "node:path";
import { findNodes } from "../../../tests/support/node.ts";
import { createStarter } from "../../../tests/support/starter.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { measureServer, quietEnvironment } from "../dev_server.ts";
import type { Goal, Row, Section } from "../report.ts";

/** Edits of a file in one run of the server. */
const TIMES = 10;
const SIZES = [20, 500];
/** Most milliseconds of the median, as for the starter. */
const LIMIT = 160;

/** One file under edits in an application of one size. */
interface Measured {
  routes: number;
  what: string;
  times: number[];
}

/** Of five routes four are pages with a loader that show a common component, below a layout; one answers with JSON. */
async function writeRoutes(root: string, count: number): Promise<void> {
  const app = join(root, "app");
  await Deno.remove(app, { recursive: true });
  const write = async (path: string, text: string): Promise<void> => {
    await Deno.mkdir(dirname(join(app, path)), { recursive: true });
    await Deno.writeTextFile(join(app, path), text);
  };
  await write(
    "layout.tsx",
    `import type { LayoutProps } from "@framework/cli/runtime";
export default function Layout({ children }: LayoutProps) {
  return <html lang="en"><head><title>Bench</title></head><body>{children}</body></html>;
}
`,
  );
  await write(
    "_note.tsx",
    `export function Note({ of }: { of: number }) {
  return <p>Note of {of}</p>;
}
`,
  );
  const page = (index: number, up: string): string =>
    `import { Note } from "${up}/_note.tsx";
export function loader() {
  return { index: ${index} };
}
export default function Page({ data }: { data: { index: number } }) {
  return <main><h1>Page {data.index}</h1><Note of={data.index} /></main>;
}
`;
  await write("page.tsx", page(0, "."));
  for (let index = 1; index < count; index++) {
    const folder = `part${index % 10}/item${index}`;
    if (index % 5 === 0) {
      await write(`${folder}/route.ts`, `export const GET = () => Response.json(${index});\n`);
    } else await write(`${folder}/page.tsx`, page(index, "../.."));
  }
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** Measures an edit under `framework dev`, up to the answer that shows it, in small and large applications. */
export async function measureEdits({ rounds }: BenchOptions): Promise<Section> {
  const { newest: node } = await findNodes();
  const { root, remove } = await createStarter("bare");
  const project = { root, node, env: quietEnvironment(dirname(node)) };
  const main = join(root, "node_modules/@framework/cli/main.js");
  const all: Measured[] = SIZES.flatMap((routes) => [
    { routes, what: "a page", times: [] },
    { routes, what: "a component of all pages", times: [] },
  ]);
  const starts = new Map<number, number[]>(SIZES.map((routes) => [routes, []]));
  try {
    const turns = Math.ceil(rounds / 6);
    for (let round = 0; round < turns; round++) {
      progress(`  round ${round + 1} of ${turns}`);
      for (const routes of SIZES) {
        await writeRoutes(root, routes);
        const { ready, edits } = await measureServer(
          project,
          [main, "dev", "--port", "0"],
          /ready at (http:\S+)/,
          [
            { file: "app/part7/item7/page.tsx", shown: "/part7/item7", times: TIMES },
            { file: "app/_note.tsx", shown: "/part7/item7", times: TIMES },
          ],
        );
        starts.get(routes)!.push(ready);
        const own = all.filter((measured) => measured.routes === routes);
        for (const [index, measured] of own.entries()) measured.times.push(...edits[index]!);
      }
    }
  } finally {
    await remove();
  }
  return report(all, starts);
}

function report(all: readonly Measured[], starts: ReadonlyMap<number, number[]>): Section {
  const row = (name: string, times: readonly number[]): Row => ({
    name,
    figures: [0.5, 0.95].map((part) => ({ value: quantile(times, part), unit: "ms" })),
  });
  const goals: Goal[] = all.map(({ routes, what, times }) => ({
    what: `framework dev, ${routes} routes, edit of ${what} to new answer`,
    value: quantile(times, 0.5),
    unit: "ms",
    is: "at most",
    limit: LIMIT,
  }));
  return {
    name: "edits",
    title: "Edits in small and large applications",
    about:
      "`framework dev` on the newest Node, in applications of 20 and of 500 routes: of five routes four are pages with " +
      "a loader, below a layout, with a component that all of them import; one answers with JSON. The wall, from the " +
      "save of a file to the first answer that shows the edit, asked for without a pause; " +
      `${all[0]!.times.length} edits of each file.`,
    tables: [{
      title: "framework dev",
      columns: ["median", "95 of 100 within"],
      rows: [
        ...all.map(({ routes, what, times }) => row(`${routes} routes, edit of ${what}`, times)),
        ...[...starts].map(([routes, times]): Row => ({
          name: `${routes} routes, start to first answer`,
          figures: [row("", times).figures[0]!, null],
        })),
      ],
    }],
    goals,
  };
}
