import { startDriver } from "../driver/client.ts";
import { formatDiagnostic } from "../driver/frame.ts";
import { bundleForProduction } from "../project/production_build.ts";
import { loadConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { readPlatform } from "../project/platform.ts";
import { scanApp } from "../project/scan.ts";
import { requirePackage } from "../project/tools.ts";
import { ExitCode } from "../terminal/exit.ts";
import { formatBytes } from "../terminal/bytes.ts";
import type { Command } from "./command.ts";

/** `framework build`. */
export const command: Command = {
  name: "build",
  summary: "Build the worker for production",
  options: {
    sourcemap: { type: "boolean", default: true, summary: "Write a source map beside the worker" },
    minify: { type: "boolean", default: true, summary: "Make the worker as small as possible" },
  },
  examples: ["framework build", "framework build --no-minify"],
  async run(ctx) {
    const { output, explicit, values } = ctx;
    const started = performance.now();
    const config = await loadConfig(ctx.cwd, ctx.config);
    const platform = await readPlatform(config);
    const scan = await scanApp(config.appDir);
    requirePackage("esbuild", config.root);
    const option = (name: "minify" | "sourcemap"): boolean =>
      explicit.has(name) ? values[name] === true : config.build[name];

    const driver = startDriver({
      root: config.root,
      env: ctx.env,
      log: (text) => output.detail(text.trimEnd()),
    });
    try {
      const built = await bundleForProduction({ config, platform, scan, driver }, {
        minify: option("minify"),
        sourcemap: option("sourcemap"),
        signal: ctx.signal,
      });
      for (const warning of built.warnings) {
        output.warn(formatDiagnostic(warning, output.color));
      }
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
      return ExitCode.ok;
    } finally {
      await driver.close();
    }
  },
};
