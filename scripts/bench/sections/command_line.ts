import { dirname, join } from "node:path";
import { findNodes } from "../../../tests/support/node.ts";
import { createStarter } from "../../../tests/support/starter.ts";
import { buildPackages } from "../../npm.ts";
import { installPackages } from "../../scaffold.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { measureServer, type Project as Served, quietEnvironment } from "../dev_server.ts";
import type { Section } from "../report.ts";

const VITE = { "vite": "8.3.8", "@cloudflare/vite-plugin": "1.48.0" };
const EDITED = { file: "app/page.tsx", shown: "/", times: 7 };

/** The starter application, and what works on it. */
interface Project extends Served {
  /** File of this command. */
  main: string;
  /** File of the peer. */
  wrangler: string;
}

/** One thing that is measured, in milliseconds. */
interface Measured {
  name: string;
  ours: number[];
  peer: number[];
  peerName: string;
  /** Most milliseconds, or the largest share of the peer's. */
  goal: { milliseconds: number } | { share: number };
}

/** Milliseconds that a program takes from its start to its end. */
async function time(
  { node, root, env }: Project,
  args: string[],
  cwd: string = root,
): Promise<number> {
  const start = performance.now();
  const { success, stderr } = await new Deno.Command(node, { args, cwd, env, stdin: "null" })
    .output();
  if (!success) throw new Error(`${args.join(" ")}\n${new TextDecoder().decode(stderr)}`);
  return performance.now() - start;
}

/** Gives Vite the same worker: its generated entry, with nothing for the browser to load. */
async function prepareVite({ root }: Project): Promise<void> {
  const manifest = join(root, "package.json");
  const given = JSON.parse(await Deno.readTextFile(manifest));
  given.devDependencies = { ...given.devDependencies, ...VITE };
  await Deno.writeTextFile(manifest, JSON.stringify(given));
  await installPackages(root, await buildPackages({ gate: false }));
  const define = { FRAMEWORK_ASSETS: '{"scripts":{},"styles":{}}' };
  const platform = JSON.parse(await Deno.readTextFile(join(root, "dist/wrangler.json")));
  await Deno.writeTextFile(
    join(root, "vite.wrangler.json"),
    JSON.stringify({
      ...platform,
      main: ".framework/entry.ts",
      assets: undefined,
      "no_bundle": false,
      define,
    }),
  );
  await Deno.writeTextFile(
    join(root, "vite.config.mjs"),
    `import { cloudflare } from "@cloudflare/vite-plugin";
export default {
  plugins: [cloudflare({ configPath: "vite.wrangler.json" })],
  define: ${JSON.stringify(define)},
  build: { outDir: "vite-dist", sourcemap: true },
};
`,
  );
}

async function writeRoutes(folder: string): Promise<void> {
  for (let index = 0; index < 1000; index++) {
    const place = join(folder, "app", `part${index % 25}`, `item${index}`, "[id]");
    await Deno.mkdir(place, { recursive: true });
    await Deno.writeTextFile(join(place, "route.ts"), "export const GET = () => null;\n");
  }
}

async function forgetDatabase({ root }: Project): Promise<void> {
  await Deno.remove(join(root, ".wrangler"), { recursive: true }).catch(() => {});
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
}

async function measureRound(project: Project, many: string): Promise<Measured[]> {
  const { root, main, wrangler } = project;
  const run = async (...args: string[]) => [await time(project, args)];
  const help: Measured = {
    name: "framework --help",
    ours: await run(main, "--help"),
    peer: await run(wrangler, "--help"),
    peerName: "wrangler --help",
    goal: { milliseconds: 60 },
  };
  const routes: Measured = {
    name: "framework routes, 1,000 routes",
    ours: [await time(project, [main, "routes"], many)],
    peer: [],
    peerName: "",
    goal: { milliseconds: 150 },
  };
  await forgetDatabase(project);
  const migrated = await run(main, "migrate", "up", "--local");
  await forgetDatabase(project);
  const apply = ["d1", "migrations", "apply", "DB", "--local"];
  const migrate: Measured = {
    name: "framework migrate up --local, one file",
    ours: migrated,
    peer: await run(wrangler, ...apply),
    peerName: `wrangler ${apply.join(" ")}`,
    goal: { milliseconds: 150 },
  };
  const build: Measured = {
    name: "framework build, the starter",
    ours: await run(main, "build"),
    peer: await run(join(root, "node_modules/vite/bin/vite.js"), "build"),
    peerName: "vite build with Cloudflare's plugin",
    goal: { share: 0.5 },
  };
  const ours = await measureServer(
    project,
    [main, "dev", "--port", "0"],
    /ready at (http:\S+)/,
    [EDITED],
  );
  const peer = await measureServer(
    project,
    [
      wrangler,
      "dev",
      "--config",
      "vite.wrangler.json",
      "--port",
      "0",
      "--show-interactive-dev-session=false",
    ],
    /Ready on (http:\S+)/,
    [EDITED],
  );
  const start: Measured = {
    name: "framework dev, start to first answer",
    ours: [ours.ready],
    peer: [peer.ready],
    peerName: "wrangler dev",
    goal: { milliseconds: 1000 },
  };
  const edit: Measured = {
    name: "framework dev, edit to new answer",
    ours: ours.edits.flat(),
    peer: peer.edits.flat(),
    peerName: "wrangler dev",
    goal: { milliseconds: 160 },
  };
  return [help, routes, migrate, build, start, edit];
}

async function measureAll(project: Project, rounds: number): Promise<Measured[]> {
  const many = await Deno.makeTempDir({ prefix: "framework-routes-" });
  try {
    await writeRoutes(many);
    await time(project, [project.main, "build"]);
    await prepareVite(project);
    const migrations = join(project.root, "migrations");
    for await (const { name } of Deno.readDir(migrations)) {
      if (name.endsWith(".sql") && name !== "0001_auth.sql") {
        await Deno.remove(join(migrations, name));
      }
    }
    const all: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`  round ${round + 1} of ${rounds}`);
      for (
        const [index, { ours, peer, ...about }] of (await measureRound(project, many)).entries()
      ) {
        const measured = all[index] ??= { ...about, ours: [], peer: [] };
        measured.ours.push(...ours);
        measured.peer.push(...peer);
      }
    }
    return all;
  } finally {
    await Deno.remove(many, { recursive: true });
  }
}

/** Measures what the command line costs, on the newest Node and the starter application. */
export async function measureCommandLine({ rounds }: BenchOptions): Promise<Section> {
  const { newest: node } = await findNodes();
  const { root, remove } = await createStarter();
  let all: Measured[];
  try {
    all = await measureAll({
      root,
      node,
      env: quietEnvironment(dirname(node)),
      main: join(root, "node_modules/@framework/cli/main.js"),
      wrangler: join(root, "node_modules/wrangler/bin/wrangler.js"),
    }, Math.ceil(rounds / 5));
  } finally {
    await remove();
  }
  return {
    name: "command-line",
    title: "The command line",
    about:
      "Beside wrangler, and Vite with Cloudflare's plugin, on the starter application. The wall, from the start of " +
      "the program to its end.",
    tables: [{
      title: "Node",
      columns: ["framework", "peer"],
      rows: all.map(({ name, peerName, ours, peer }) => ({
        name: peerName === "" ? name : `${name} (beside ${peerName})`,
        figures: [
          { value: median(ours), unit: "ms" },
          peer.length === 0 ? null : { value: median(peer), unit: "ms" },
        ],
      })),
    }],
    goals: all.map(({ name, peerName, ours, peer, goal }) =>
      "share" in goal
        ? {
          what: `${name}, over ${peerName}`,
          value: median(ours) / median(peer),
          unit: "×",
          is: "at most",
          limit: goal.share,
        }
        : { what: name, value: median(ours), unit: "ms", is: "at most", limit: goal.milliseconds }
    ),
  };
}
