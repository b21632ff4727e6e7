import { Miniflare } from "miniflare";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BundledFile, bundleEntries } from "../support/bundle.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes } from "../support/node.ts";
import type { Answer, Command } from "./suite.ts";

/** A runtime that runs the suite. */
export interface Runtime {
  name: string;
  /** The databases that it has. */
  databases: string[];
  ask(command: Command): Promise<Answer>;
}

/** The runtimes, all with the same bundle. */
export interface Runtimes {
  all: Runtime[];
  close(): Promise<void>;
}

function processRuntime(
  about: Pick<Runtime, "name" | "databases">,
  program: string,
  args: string[],
): Runtime {
  const { name } = about;
  return {
    ...about,
    async ask(question) {
      const child = new Deno.Command(program, {
        args,
        env: { NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const input = child.stdin.getWriter();
      await input.write(new TextEncoder().encode(JSON.stringify(question)));
      await input.close();
      const { code, stdout, stderr } = await child.output();
      const decoder = new TextDecoder();
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${decoder.decode(stderr)}`);
      return JSON.parse(decoder.decode(stdout)) as Answer;
    },
  };
}

function workerRuntime(miniflare: Miniflare): Runtime {
  return {
    name: "workerd",
    databases: inMatrix ? ["memory", "d1"] : ["d1"],
    async ask(question) {
      const response = await miniflare.dispatchFetch("http://localhost/", {
        method: "POST",
        body: JSON.stringify(question),
      });
      if (!response.ok) throw new Error(`workerd answered: ${await response.text()}`);
      return await response.json() as Answer;
    },
  };
}

/** The bundle as workerd takes it: the entry first. */
export function workerModules(files: BundledFile[], entry: string) {
  const sorted = files.toSorted((a, b) => Number(b.name === entry) - Number(a.name === entry));
  return sorted.map(({ name, text }) => ({
    type: "ESModule" as const,
    path: name,
    contents: text,
  }));
}

/** Bundles the suite once and starts every runtime with it. */
export async function startRuntimes(): Promise<Runtimes> {
  const runners = ["process.ts", "worker.ts"]
    .map((file) => fileURLToPath(new URL(`./runners/${file}`, import.meta.url)));
  const files = await bundleEntries(runners);
  const folder = await Deno.makeTempDir({ prefix: "framework-runtimes-" });
  for (const { name, text } of files) await Deno.writeTextFile(join(folder, name), text);
  const program = join(folder, "process.mjs");
  const { oldest, newest } = await findNodes();
  const miniflare = new Miniflare({
    modules: workerModules(files.filter(({ name }) => name !== "process.mjs"), "worker.mjs"),
    modulesRoot: "/",
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: { DB: "auth" },
  });
  const node20 = processRuntime({ name: "Node 20", databases: ["memory"] }, oldest, [program]);
  // All other tests run on Deno, and the servers of docs/servers.md on the newest Node.
  const others = [
    processRuntime(
      { name: "Deno", databases: ["memory", "sqlite"] },
      Deno.execPath(),
      ["run", "-A", "--no-config", program],
    ),
    processRuntime({ name: "newest Node", databases: ["memory", "sqlite"] }, newest, [program]),
  ];
  return {
    all: [...inMatrix ? others : [], node20, workerRuntime(miniflare)],
    async close() {
      await miniflare.dispose();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
