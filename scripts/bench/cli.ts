/**
 * Measures what the command line costs, beside its peers: wrangler, and Vite with Cloudflare's plugin. All of
 * them run on the newest Node, on the starter application.
 *
 * Usage: `deno run -A scripts/bench/cli.ts [--rounds N]`
 *
 * Prints milliseconds of the wall (medians of interleaved rounds). Compare ratios: times depend on the
 * machine and on what else it does. The exit code is 1 when a figure is above its goal.
 *
 * @module
 */

import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { createStarter } from "../../tests/support/starter.ts";
import { findNodes } from "../../tests/support/node.ts";
import { buildPackages } from "../npm.ts";
import { installPackages } from "../scaffold.ts";

const VITE = { "vite": "8.3.8", "@cloudflare/vite-plugin": "1.48.0" };
const EDITS = 7;

/** One thing that is measured. */
interface Figure {
  name: string;
  ours: number[];
  peer: number[];
  peerName: string;
  /** Most milliseconds, or the largest share of the peer's. */
  goal: { milliseconds: number } | { share: number };
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const rounds = Number(values.rounds);
const node = (await findNodes()).newest;
const starter = await createStarter();
const { root } = starter;
const main = join(root, "node_modules/@framework/cli/main.js");
const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
const env = {
  PATH: `${dirname(node)}:${process.env["PATH"]}`,
  CI: "true",
  NO_COLOR: "1",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Milliseconds that a program takes from its start to its end. */
async function time(args: string[], cwd = root): Promise<number> {
  const start = performance.now();
  const { success, stderr } = await new Deno.Command(node, { args, cwd, env, stdin: "null" })
    .output();
  if (!success) throw new Error(`${args.join(" ")}\n${new TextDecoder().decode(stderr)}`);
  return performance.now() - start;
}

/** Starts a server; milliseconds to its first answer, and of each edit to the answer that shows it. */
async function serve(args: string[], ready: RegExp): Promise<{ ready: number; edits: number[] }> {
  const page = join(root, "app/page.tsx");
  const source = await Deno.readTextFile(page);
  const start = performance.now();
  const child = new Deno.Command(node, {
    args,
    cwd: root,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
  }
  const ended = Promise.all([collect(child.stdout), collect(child.stderr), child.status]);
  try {
    const origin = await until(() => ready.exec(text)?.[1] ?? null, () => text);
    await until(() => ask(origin, "</html>"), () => text);
    const edits: number[] = [];
    const first = performance.now() - start;
    for (let edit = 0; edit < EDITS; edit++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      const mark = `edit-${edit}-`;
      const saved = performance.now();
      await Deno.writeTextFile(page, source.replace(/<h1[^>]*>/, (tag) => tag + mark));
      await until(() => ask(origin, mark), () => text);
      edits.push(performance.now() - saved);
    }
    return { ready: first, edits };
  } finally {
    await Deno.writeTextFile(page, source);
    try {
      child.kill("SIGINT");
    } catch {
      // It has ended by itself; what it said is in the error.
    }
    await ended;
  }
}

async function ask(origin: string, mark: string): Promise<true | null> {
  const body = await fetch(origin).then((response) => response.text(), () => "");
  return body.includes(mark) ? true : null;
}

async function until<T>(look: () => Promise<T | null> | T | null, said: () => string): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`Nothing came of it:\n${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Gives Vite the same worker: its generated entry, with nothing for the browser to load. */
async function prepareVite(): Promise<void> {
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

async function forgetDatabase(): Promise<void> {
  await Deno.remove(join(root, ".wrangler"), { recursive: true }).catch(() => {});
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
}

const figures: Record<string, Figure> = {};
function record(
  name: string,
  { ours, peer, peerName, goal }: {
    ours: number[];
    peer: number[];
    peerName: string;
    goal: Figure["goal"];
  },
): void {
  const figure = figures[name] ??= { name, ours: [], peer: [], peerName, goal };
  figure.ours.push(...ours);
  figure.peer.push(...peer);
}

const many = await Deno.makeTempDir({ prefix: "framework-routes-" });
try {
  await writeRoutes(many);
  await time([main, "build"]);
  await prepareVite();
  const oneMigration = join(root, "migrations");
  for await (const { name } of Deno.readDir(oneMigration)) {
    if (name.endsWith(".sql") && name !== "0001_auth.sql") {
      await Deno.remove(join(oneMigration, name));
    }
  }
  for (let round = 0; round < rounds; round++) {
    print(`round ${round + 1} of ${rounds}`);
    record("framework --help", {
      ours: [await time([main, "--help"])],
      peer: [await time([wrangler, "--help"])],
      peerName: "wrangler --help",
      goal: { milliseconds: 60 },
    });
    record("framework routes, 1,000 routes", {
      ours: [await time([main, "routes"], many)],
      peer: [],
      peerName: "",
      goal: { milliseconds: 150 },
    });
    await forgetDatabase();
    const ours = await time([main, "migrate", "up", "--local"]);
    await forgetDatabase();
    const apply = ["d1", "migrations", "apply", "DB", "--local"];
    record("framework migrate up --local, one file", {
      ours: [ours],
      peer: [await time([wrangler, ...apply])],
      peerName: `wrangler ${apply.join(" ")}`,
      goal: { milliseconds: 150 },
    });
    record("framework build, the starter", {
      ours: [await time([main, "build"])],
      peer: [await time([join(root, "node_modules/vite/bin/vite.js"), "build"])],
      peerName: "vite build with Cloudflare's plugin",
      goal: { share: 0.5 },
    });
    const dev = await serve([main, "dev", "--port", "0"], /ready at (http:\S+)/);
    const peer = await serve(
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
    );
    record("framework dev, start to first answer", {
      ours: [dev.ready],
      peer: [peer.ready],
      peerName: "wrangler dev",
      goal: { milliseconds: 1000 },
    });
    record("framework dev, edit to new answer", {
      ours: dev.edits,
      peer: peer.edits,
      peerName: "wrangler dev",
      goal: { milliseconds: 160 },
    });
  }
} finally {
  await starter.remove();
  await Deno.remove(many, { recursive: true });
}

let missed = false;
print("\n| what | ms | peer | peer's ms | goal |");
print("| --- | ---: | --- | ---: | --- |");
for (const { name, ours, peer, peerName, goal } of Object.values(figures)) {
  const own = median(ours);
  const other = median(peer);
  const limit = "share" in goal ? goal.share * other : goal.milliseconds;
  if (!(own <= limit)) missed = true;
  const text = "share" in goal ? `${goal.share} × the peer` : `${goal.milliseconds} ms`;
  const theirs = peer.length === 0 ? "" : other.toFixed(0);
  print(
    `| ${name} | ${own.toFixed(0)} | ${peerName} | ${theirs} | ${text}${
      own <= limit ? "" : ", missed"
    } |`,
  );
}
process.exit(missed ? 1 : 0);
