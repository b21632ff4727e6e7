import { writeTypes } from "../app/types.ts";
import { loadConfig } from "../config/load.ts";
import { demandApplication } from "../platform/wrangler_file.ts";
import type { Command } from "../terminal/command.ts";
import { runTests } from "../tools/checkers.ts";
import { toolExitCode } from "../tools/run.ts";

/** `framework test [files]`. */
export const command: Command = {
  name: "test",
  summary: "Run the application's tests",
  positionals: [{
    name: "files",
    summary: "Files to run, or parts of their names with vitest (default: all)",
    many: true,
  }],
  passes: {
    name: "runner's options",
    summary: "Before options of vitest or `deno test`, such as `-- --bail=1`",
    example: "--bail=1",
  },
  options: {
    watch: { type: "boolean", summary: "Run again when a file changes" },
    coverage: { type: "boolean", summary: "Measure code coverage" },
    pool: { type: "boolean", summary: "Run in workerd, in vitest's worker pool" },
    ui: { type: "boolean", summary: "Open vitest's web interface" },
  },
  verbose: "the runner's exit code",
  examples: [
    "framework test",
    "framework test tests/app.test.ts --watch",
    "framework test -- --shard=1/2",
  ],
  async run(ctx) {
    const config = await loadConfig(ctx.cwd, ctx.config);
    const { root, appDir, platformFile } = config;
    demandApplication(config);
    await writeTypes(config);
    const { env, signal, values, positionals, passed } = ctx;
    const result = await runTests({ root, env, signal, stdio: "inherit" }, {
      files: positionals,
      passed,
      watch: values["watch"] === true,
      coverage: values["coverage"] === true,
      ui: values["ui"] === true,
      appDir,
      pool: values["pool"] === true ? platformFile : undefined,
    });
    return toolExitCode(ctx, "The test runner", result.code);
  },
};
