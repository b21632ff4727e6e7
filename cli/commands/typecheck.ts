import { runTypecheck } from "../project/checkers.ts";
import { loadConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { writeTypes } from "../typegen/write_types.ts";
import type { Command } from "./command.ts";
import { toolExitCode } from "./tool_exit_code.ts";

/** `framework typecheck`. */
export const command: Command = {
  name: "typecheck",
  summary: "Check the application's types",
  options: {
    watch: { type: "boolean", summary: "Check again whenever a file changes" },
    strict: { type: "boolean", summary: "Check strictly, whatever tsconfig.json says" },
  },
  examples: ["framework typecheck", "framework typecheck --watch"],
  async run(ctx) {
    const config = await loadConfig(ctx.cwd, ctx.config);
    const { root } = config;
    for (const path of await writeTypes(config)) {
      ctx.output.detail(`Wrote ${displayPath(root, path)}`);
    }
    const { env, signal, values } = ctx;
    const result = await runTypecheck({ root, env, signal, stdio: "inherit" }, {
      watch: values["watch"] === true,
      strict: values["strict"] === true,
    });
    return toolExitCode(ctx, "The type checker", result.code);
  },
};
