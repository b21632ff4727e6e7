import { startDriver } from "../build/driver.ts";
import { loadConfig } from "../config/load.ts";
import type { Project } from "../dev/loop.ts";
import { foldFrames } from "../emulator/source_positions.ts";
import { demandSqlite } from "../platform/dialect.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import { workerRequest } from "../platform/worker_request.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { pointToCode } from "../tools/error_codes.ts";
import { requirePackages } from "../tools/packages.ts";

/** `framework dev`. */
export const command: Command = {
  name: "dev",
  summary: "Serve the application and reload it when a file changes",
  options: {
    port: {
      type: "integer",
      short: "p",
      default: 8787,
      min: 0,
      max: 65_535,
      summary: "Port to listen on, 0 for a free one",
      placeholder: "port",
    },
    host: {
      type: "string",
      default: "localhost",
      summary: "Address to listen on",
      placeholder: "address",
    },
    https: {
      type: "boolean",
      summary: "Serve over https, with a certificate for this machine that is reused",
    },
    open: { type: "boolean", short: "o", summary: "Open the application in the browser" },
  },
  verbose: "all lines of a stack, not only the application's",
  examples: ["framework dev", "framework dev --port 3000 --open"],
  run,
};

async function run(ctx: CommandContext): Promise<number> {
  const started = performance.now();
  async function readProject(): Promise<Project> {
    const config = await loadConfig(ctx.cwd, ctx.config);
    return { config, platform: await readPlatform(config) };
  }
  const project = await readProject();
  demandSqlite(
    project.config,
    "framework dev runs the application as a Worker, whose database is D1",
    "Build and start the server: `framework build --target node`, `framework migrate up`, then " +
      "`node dist/server.js` with DATABASE_URL and BASE_URL=http://localhost:8080.",
  );
  const { root } = project.config;
  requirePackages(["esbuild", "miniflare"], root);
  const pointed = new Set<string>();
  function log(text: string): void {
    ctx.output.info((ctx.output.verbose ? text : foldFrames(text)).trimEnd());
    const pointer = pointToCode(text, root);
    if (pointer === undefined || pointed.has(pointer)) return;
    pointed.add(pointer);
    ctx.output.info(pointer);
  }
  const driver = startDriver({ root, env: ctx.env, log });
  try {
    // workerd starts while the rest of this command is loaded and the worker is bundled. Errors
    // here occur again when the worker is to be served, and are reported then.
    void driver.call("warm", workerRequest(project, 0)).catch(() => {});
    const { serve } = await import("../dev/serve.ts");
    return await serve(ctx, { driver, project, readProject, started });
  } finally {
    await driver.close();
  }
}
