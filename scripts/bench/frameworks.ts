/**
 * One small application, a list with a loader, a record and a form, in this framework and in others: where each is,
 * and how it is built for workerd. The others are pinned in `frameworks/`, and installed only for the benchmark.
 *
 * @module
 */

import { build as bundle } from "esbuild";
import { dirname, join } from "node:path";
import { findNodes } from "../../tests/support/node.ts";
import { createStarter } from "../../tests/support/starter.ts";
import { run, type RunOptions } from "../run_command.ts";
import { benchFolder, installPinned } from "./peers.ts";

/** Name of this project's contender. */
export const OWN = "the framework";

/** A built application: one file of code, and the folder of its assets, if it has any. */
export interface BuiltWorker {
  worker: string;
  assets: string | null;
}

/** An application in one of the frameworks. */
export interface FrameworkApp {
  name: string;
  /** Builds it for workerd. */
  buildWorker(): Promise<BuiltWorker>;
}

/** The applications in a folder of their own. */
export interface FrameworkApps extends AsyncDisposable {
  /** This project's first. */
  apps: FrameworkApp[];
}

const FIXTURES = join(benchFolder, "frameworks");

/** Copies the applications into folders in which their packages are found. */
export async function createFrameworkApps(): Promise<FrameworkApps> {
  const installed = await installPinned(FIXTURES);
  const { newest: node } = await findNodes();
  const folder = await Deno.makeTempDir({ dir: installed, prefix: "apps-" });
  const starter = await createStarter("bare");
  const env = {
    PATH: `${dirname(node)}:${Deno.env.get("PATH") ?? ""}`,
    CI: "true",
    NO_COLOR: "1",
    NODE_ENV: "production",
    WRANGLER_SEND_METRICS: "false",
  };
  const options = (cwd: string): RunOptions => ({ cwd, env });
  async function place(name: string, issues: string, root = join(folder, name)): Promise<string> {
    await Deno.mkdir(root, { recursive: true });
    await run("cp", ["-R", `${join(FIXTURES, name)}/.`, root]);
    const records = join(root, issues);
    await Deno.mkdir(dirname(records), { recursive: true });
    await Deno.copyFile(join(FIXTURES, "issues.ts"), records);
    return root;
  }
  await Deno.remove(join(starter.root, "app"), { recursive: true });
  await place("framework", "app/_issues.ts", starter.root);
  const kit = await place("sveltekit", "src/lib/issues.ts");
  const router = await place("react-router", "app/issues.ts");
  const honox = await place("honox", "app/issues.ts");
  const hono = await place("hono", "src/issues.ts");
  for (const root of [kit, router, honox, hono]) {
    await Deno.writeTextFile(join(root, "package.json"), '{ "private": true, "type": "module" }\n');
  }
  const main = join(starter.root, "node_modules/@framework/cli/main.js");
  const vite = join(installed, "node_modules/vite/bin/vite.js");
  const reactRouter = join(installed, "node_modules/@react-router/dev/bin.cjs");

  const apps: FrameworkApp[] = [
    {
      name: OWN,
      async buildWorker() {
        await run(node, [main, "build"], options(starter.root));
        return { worker: join(starter.root, "dist/worker.js"), assets: null };
      },
    },
    {
      name: "Hono + JSX",
      async buildWorker() {
        return { worker: await oneFile(hono, "src/app.tsx"), assets: null };
      },
    },
    {
      name: "HonoX",
      async buildWorker() {
        await run(node, [vite, "build"], options(honox));
        return { worker: await oneFile(honox, "dist/index.js"), assets: null };
      },
    },
    {
      name: "SvelteKit",
      async buildWorker() {
        await run(node, [vite, "build"], options(kit));
        const worker = await oneFile(kit, ".svelte-kit/cloudflare/_worker.js");
        return { worker, assets: join(kit, ".svelte-kit/cloudflare") };
      },
    },
    {
      name: "React Router",
      async buildWorker() {
        await run(node, [reactRouter, "build"], options(router));
        const worker = await oneFile(router, "build/server/index.js");
        return { worker, assets: join(router, "build/client") };
      },
    },
  ];
  return {
    apps,
    async [Symbol.asyncDispose]() {
      await starter.remove();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Bundles a built worker into one minified file, as uploads are, so that all are started in the same way. */
async function oneFile(root: string, entry: string): Promise<string> {
  const outfile = join(root, "dist/one_file.js");
  await bundle({
    entryPoints: [join(root, entry)],
    outfile,
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    target: "es2024",
    conditions: ["workerd", "worker", "import"],
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*", "async_hooks"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  return outfile;
}
