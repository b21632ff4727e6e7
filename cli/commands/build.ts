import type { Analysis } from "../analyze/analysis.ts";
import { buildProject } from "../project/build_project.ts";
import { loadConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { readPlatform } from "../project/platform.ts";
import { scanApp } from "../project/scan.ts";
import { ExitCode } from "../terminal/exit.ts";
import { printable } from "../terminal/printable.ts";
import { formatBytes } from "../terminal/bytes.ts";
import { writeTypes } from "../typegen/write_types.ts";
import type { Command } from "./command.ts";

/** `framework build`. */
export const command: Command = {
  name: "build",
  summary: "Build the worker for production",
  options: {
    sourcemap: { type: "boolean", default: true, summary: "Write a source map beside the worker" },
    minify: { type: "boolean", default: true, summary: "Make the worker as small as possible" },
    analyze: { type: "boolean", summary: "Write a page that shows what the worker is made of" },
  },
  examples: ["framework build", "framework build --analyze"],
  async run(ctx) {
    const { output, explicit, values } = ctx;
    const started = performance.now();
    const config = await loadConfig(ctx.cwd, ctx.config);
    const platform = await readPlatform(config);
    const scan = await scanApp(config.appDir);
    await writeTypes(config);
    const option = (name: "minify" | "sourcemap"): boolean =>
      explicit.has(name) ? values[name] === true : config.build[name];
    const built = await buildProject({
      config,
      platform,
      scan,
      minify: option("minify"),
      sourcemap: option("sourcemap"),
      analyze: values["analyze"] === true,
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
    if (built.analysis) {
      output.info(`  ${folder}/analysis.html and analysis.json`);
      output.data(formatAnalysis(built.analysis));
    }
    return ExitCode.ok;
  },
};

/** The largest routes and packages; the page has them all. */
function formatAnalysis({ routes, packages }: Analysis): string {
  const rows = [
    ["route", "with imports", "only for it"],
    ...routes.slice(0, SHOWN).map(({ pattern, bytes, ownBytes }) => [
      printable(pattern),
      formatBytes(bytes),
      formatBytes(ownBytes),
    ]),
    [],
    ["package", "size", ""],
    ...packages.slice(0, SHOWN).map(({ name, bytes }) => [printable(name), formatBytes(bytes), ""]),
  ];
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  return rows
    .map(([name = "", first = "", second = ""]) =>
      `${name.padEnd(width)}  ${first.padStart(12)}  ${second.padStart(11)}`.trimEnd()
    )
    .join("\n");
}

const SHOWN = 10;
