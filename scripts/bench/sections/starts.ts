import * as esbuild from "esbuild";
import { join } from "node:path";
import { findNodes } from "../../../tests/support/node.ts";
import { run } from "../../run_command.ts";
import { IMPORTS, MINIMAL_WORKER, WORKERS } from "../applications_text.ts";
import { bundleOptions } from "../bundle_program.ts";
import { summarize } from "../compete.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { cpuTimeOf } from "../cpu_time.ts";
import { installLibrary } from "../installed.ts";
import type { Figure, Section, Table, Unit } from "../report.ts";
import { startWorkerd } from "../workerd.ts";

type Samples = Map<string, number[]>;

function add(samples: Samples, key: string, value: number): void {
  samples.set(key, [...samples.get(key) ?? [], value]);
}

function figureOf(samples: Samples, key: string, unit: Unit): Figure | null {
  const measured = samples.get(key);
  if (measured === undefined) return null;
  const { microseconds: value, noise } = summarize(measured);
  return { value, unit, noise };
}

const PROGRAM = `
const [before, used] = [performance.now(), process.cpuUsage()];
await Promise.all(process.argv.slice(2).map((specifier) => import(specifier)));
const { user, system } = process.cpuUsage(used);
process.stdout.write(JSON.stringify({ wall: performance.now() - before, cpu: (user + system) / 1000 }));
process.exit(0);
`;

// What it takes to find and to read a package, whatever is in it.
const NOTHING = "a package with nothing in it";
const NOTHING_PACKAGE = "nothing";

// What V8 has compiled, kept by Node from one process to the next.
const KEPT = "the library, with NODE_COMPILE_CACHE";

async function installNothing(folder: string): Promise<void> {
  const place = join(folder, "node_modules", NOTHING_PACKAGE);
  await Deno.mkdir(place);
  const manifest = { name: NOTHING_PACKAGE, type: "module", exports: "./mod.js" };
  await Deno.writeTextFile(join(place, "package.json"), JSON.stringify(manifest));
  await Deno.writeTextFile(join(place, "mod.js"), "export {};\n");
}

/** Measures how long a fresh process takes to import libraries from their packages. */
export async function measureImports({ rounds, peers }: BenchOptions): Promise<Section> {
  const library = await installLibrary();
  await installNothing(library);
  const { "the library": own, ...others } = IMPORTS;
  const imports = {
    ...{ "the library": own!, [KEPT]: own! },
    ...others,
    [NOTHING]: [NOTHING_PACKAGE],
  };
  const samples: Samples = new Map();
  const { newest } = await findNodes();
  try {
    for (const folder of [library, peers]) {
      await Deno.writeTextFile(
        join(folder, "import.mjs"),
        `import process from "node:process";${PROGRAM}`,
      );
    }
    // The first round reads files that no later one has to.
    for (let round = 0; round <= Math.ceil(rounds / 2); round++) {
      progress(`  round ${round}`);
      for (const [name, specifiers] of Object.entries(imports)) {
        const isHere = name === NOTHING || specifiers[0]!.startsWith("@framework/");
        const cwd = isHere ? library : peers;
        for (
          const [runtime, program, args] of [
            ["Node", newest, []],
            ["Deno", Deno.execPath(), ["run", "-A", "--no-config", "--node-modules-dir=manual"]],
          ] as const
        ) {
          if (name === KEPT && runtime !== "Node") continue;
          const env: Record<string, string> = name === KEPT
            ? { NODE_COMPILE_CACHE: join(library, "compiled") }
            : {};
          const command = [...args, "import.mjs", ...specifiers];
          const { stdout } = await run(program, command, { cwd, env });
          if (round === 0) continue;
          const { wall, cpu } = JSON.parse(stdout) as { wall: number; cpu: number };
          add(samples, `${runtime} ${name}`, wall);
          add(samples, `${runtime}, CPU ${name}`, cpu);
        }
      }
    }
  } finally {
    await Deno.remove(library, { recursive: true });
  }
  const columns = ["Node", "Node, CPU", "Deno", "Deno, CPU"];
  const table: Table = {
    title: "Import",
    columns,
    rows: Object.keys(imports).map((name) => ({
      name,
      figures: columns.map((runtime) => figureOf(samples, `${runtime} ${name}`, "ms")),
    })),
    base: "the library",
  };
  const timeOf = (runtime: string, name: string) =>
    figureOf(samples, `${runtime} ${name}`, "ms")!.value;
  return {
    name: "imports",
    title: "A cold import",
    about:
      "Of the installed packages, in a fresh process whose files are in the cache of the system. The wall, and " +
      "the CPU time of all threads.",
    tables: [table],
    goals: [
      {
        what: "Node: import of the library",
        value: timeOf("Node", "the library"),
        unit: "ms",
        is: "at most",
        limit: 10,
      },
      {
        what: "Deno: import of the library over a package with nothing in it",
        value: timeOf("Deno", "the library") - timeOf("Deno", NOTHING),
        unit: "ms",
        is: "at most",
        limit: 5,
      },
    ],
  };
}

const EMPTY = "an empty worker";
const LIBRARY = "the library, sessions in a database";
const STARTED = Object.keys(WORKERS).filter((name) => name !== "Better Auth, with D1");

/** The worker; where it wants a database, one that is asked for its version at the first request, and for nobody. */
function startedText(name: string): string {
  if (name !== LIBRARY) return WORKERS[name]!;
  return `import worker from ${JSON.stringify(MINIMAL_WORKER)};
const statement = { first: () => Promise.resolve(null) };
const env = {
  DB: { prepare: () => statement, batch: () => Promise.reject(new Error("Nobody is signed in")) },
  AUTH_SECRET: "a secret of the benchmark, 32 bytes or more",
  GITHUB_ID: "id",
  GITHUB_SECRET: "a secret",
};
export default { fetch: (request) => worker.fetch(request, env) };`;
}

async function writeWorker(name: string, folder: string, peers: string): Promise<void> {
  await esbuild.build({
    ...await bundleOptions("worker", peers),
    stdin: { contents: startedText(name), resolveDir: peers, loader: "ts" },
    outfile: join(folder, "worker.mjs"),
    minify: true,
  });
}

/** Starts a worker, asks it twice, and notes what that took. */
async function startOnce(name: string, folder: string, samples: Samples): Promise<void> {
  const started = performance.now();
  const process = await startWorkerd(folder, ["worker.mjs"], [{ name: "main", bindings: {} }]);
  const listening = performance.now();
  try {
    const origin = process.origins.get("main")!;
    const ask = async () => {
      const response = await fetch(origin);
      if (!response.ok) throw new Error(`The worker answered ${await response.text()}`);
      await response.text();
    };
    await ask();
    const answered = performance.now();
    const cpu = await cpuTimeOf(process.pid);
    await ask();
    add(samples, `${name} start`, answered - started);
    add(samples, `${name} first`, answered - listening);
    add(samples, `${name} second`, performance.now() - answered);
    if (cpu !== null) add(samples, `${name} cpu`, cpu / 1000);
  } finally {
    await process.stop();
  }
}

/** Measures what a worker costs until it has answered for the first time. */
export async function measureWorkerStarts({ rounds, peers }: BenchOptions): Promise<Section> {
  const folders = new Map<string, string>();
  const bytes = new Map<string, number>();
  const samples: Samples = new Map();
  try {
    for (const name of STARTED) {
      const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
      folders.set(name, folder);
      await writeWorker(name, folder, peers);
      bytes.set(name, (await Deno.stat(join(folder, "worker.mjs"))).size);
    }
    await esbuild.stop();
    for (let round = 0; round < rounds; round++) {
      if (round % 5 === 0) progress(`  round ${round}`);
      for (const [name, folder] of folders) {
        await startOnce(name, folder, samples).catch((cause) => {
          throw new Error(`${name} does not start`, { cause });
        });
      }
    }
  } finally {
    for (const folder of folders.values()) await Deno.remove(folder, { recursive: true });
  }
  const value = (name: string, what: string) => figureOf(samples, `${name} ${what}`, "ms");
  function over(name: string): Figure | null {
    const [own, empty] = [value(name, "cpu"), value(EMPTY, "cpu")];
    return own && empty ? { value: own.value - empty.value, unit: "ms" } : null;
  }
  /** Of what stands in the worker beyond the empty one. */
  function perKilobytes(name: string): Figure | null {
    const own = over(name);
    const size = bytes.get(name)! - bytes.get(EMPTY)!;
    return own === null || size === 0 ? null : { value: own.value / (size / 100_000), unit: "ms" };
  }
  return {
    name: "starts",
    title: "The start of a worker",
    about:
      "A fresh workerd with the minified worker, until it has answered a visitor's first request. The wall, and the " +
      "CPU time of the process beyond that with an empty worker.",
    tables: [{
      title: "workerd",
      columns: [
        "CPU over empty",
        "of 100 kB",
        "start to first answer",
        "first request",
        "second request",
      ],
      rows: STARTED.map((name) => ({
        name,
        figures: [
          over(name),
          perKilobytes(name),
          value(name, "start"),
          value(name, "first"),
          value(name, "second"),
        ],
      })),
    }],
    goals: [{
      what: "workerd: CPU of the library's start over an empty worker's",
      value: over(LIBRARY)?.value ?? NaN,
      unit: "ms",
      is: "at most",
      limit: 4,
    }],
  };
}
