import { loadConfig } from "../config/load.ts";
import { checkConventions, compareProblems, type LintProblem } from "../lint/conventions.ts";
import { formatProblems, type LintFormat, lintFormats } from "../lint/report.ts";
import { findLinter, runLinter } from "../lint/linters.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { ExitCode, renderJsonError } from "../terminal/exit.ts";
import { installCommand } from "../tools/packages.ts";

/** `framework lint`. */
export const command: Command = {
  name: "lint",
  summary: "Check the framework's conventions and run the project's linter",
  options: {
    fix: { type: "boolean", summary: "Fix problems automatically where possible" },
    format: {
      type: "string",
      default: "stylish",
      choices: lintFormats,
      placeholder: "format",
      summary: `Format of the report: ${lintFormats.join(", ")}`,
    },
  },
  examples: ["framework lint", "framework lint --fix", "framework lint --format sarif"],
  async run(ctx) {
    const format = ctx.values["format"] as LintFormat;
    try {
      return await lint(ctx, format);
    } catch (error) {
      if (format === "json" && !ctx.signal.aborted) ctx.output.data(renderJsonError(error));
      throw error;
    }
  },
};

async function lint(ctx: CommandContext, format: LintFormat): Promise<number> {
  const { output, env, signal } = ctx;
  const config = await loadConfig(ctx.cwd, ctx.config);
  const linter = findLinter(config.root, env);
  let failure: unknown;
  // The linter runs first: what it fixes is not reported.
  const fix = ctx.values["fix"] === true;
  const general = linter === undefined
    ? []
    : await runLinter(linter, config, { env, signal, fix }).catch(
      (error: unknown): LintProblem[] => {
        failure = error;
        return [];
      },
    );
  const problems = [...await checkConventions(config), ...general].sort(compareProblems);
  if (failure !== undefined) {
    // Results are worth showing even without the linter; in the other formats they would look
    // complete.
    if (format === "stylish" && problems.length > 0) {
      output.data(formatProblems(format, problems, { linter, color: output.dataColor }));
    }
    throw failure;
  }
  const report = formatProblems(format, problems, { linter, color: output.dataColor });
  if (report !== "") output.data(report);
  if (linter === undefined) {
    output.warn("This project has no linter, so only the framework's conventions were checked.");
    output.info(`Run \`${installCommand("oxlint", config.root)}\`, or install another one.`);
  }
  if (problems.length === 0) {
    output.success(`No problems (conventions${linter === undefined ? "" : ` and ${linter}`}).`);
  }
  return problems.some(({ severity }) => severity === "error") ? ExitCode.failure : ExitCode.ok;
}
