import { scanApp } from "../app/scan.ts";
import { writeTypes } from "../app/types.ts";
import { formatPackages, formatRoutes } from "../build/analysis.ts";
import { buildProject } from "../build/production.ts";
import { loadConfig } from "../config/load.ts";
import type { ServerTarget } from "../platform/server_settings.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { formatBytes } from "../terminal/output.ts";
import { displayPath } from "../tools/paths.ts";

const runtimes: Record<ServerTarget, string> = { node: "Node", deno: "Deno" };

/** `framework build`. */
export const command: Command = {
  name: "build",
  summary: "Build for production: the worker, or a server",
  options: {
    sourcemap: { type: "boolean", default: true, summary: "Write a source map next to the worker" },
    minify: { type: "boolean", default: true, summary: "Minify the worker" },
    target: {
      type: "string",
      default: "workers",
      choices: ["workers", "node", "deno"],
      summary: "Platform, or runtime of one server",
      placeholder: "runtime",
    },
    analyze: { type: "boolean", summary: "Write a page that shows what the worker consists of" },
  },
  verbose: "messages of the tools",
  examples: ["framework build", "framework build --target node", "framework build --analyze"],
  async run(ctx) {
    const { output, explicit, values } = ctx;
    const started = performance.now();
    const config = await loadConfig(ctx.cwd, ctx.config);
    const platform = await readPlatform(config);
    const scan = await scanApp(config.appDir);
    await writeTypes(config);
    const option = (name: "minify" | "sourcemap"): boolean =>
      explicit.has(name) ? values[name] === true : config.build[name];
    const analyze = values["analyze"] === true;
    const target = values["target"] === "workers" ? undefined : values["target"] as ServerTarget;
    const built = await buildProject({
      config,
      platform,
      scan,
      minify: option("minify"),
      sourcemap: option("sourcemap"),
      analyze,
      target,
      env: ctx.env,
      signal: ctx.signal,
      output,
    });
    const folder = displayPath(config.root, config.outDir);
    const time = Math.round(performance.now() - started);
    output.success(`Built ${folder} in ${time} ms`);
    const size = `${formatBytes(built.bytes)}, ${formatBytes(built.gzipBytes)} compressed`;
    output.info(`  ${folder}/worker.js  ${size}`);
    if (built.assets.files > 0) {
      const { files, bytes } = built.assets;
      const count = files === 1 ? "1 file" : `${files} files`;
      output.info(`  ${folder}/assets     ${count}, ${formatBytes(bytes)}`);
    }
    if (built.pages > 0) {
      const count = built.pages === 1 ? "1 page" : `${built.pages} pages`;
      output.info(`  ${folder}/assets     ${count} prerendered`);
    }
    if (target !== undefined) output.info(`  ${folder}/server.js  for ${runtimes[target]}`);
    if (analyze) output.info(`  ${folder}/analysis.html and analysis.json`);
    if (built.analysis.routes.length > 0) output.info(`\n${formatRoutes(built.analysis)}`);
    if (analyze) output.data(formatPackages(built.analysis));
    return ExitCode.ok;
  },
};
