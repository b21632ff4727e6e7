import type { Finding } from "../doctor/checks.ts";
import { examine } from "../doctor/examine.ts";
import { writeMissing } from "../doctor/fix.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { type Output, printable } from "../terminal/output.ts";

/** `framework doctor`. */
export const command: Command = {
  name: "doctor",
  summary: "Check the project and say what to fix",
  options: {
    fix: { type: "boolean", summary: "Write the missing bindings to the platform file" },
    json: { type: "boolean", summary: "Print the findings as JSON" },
  },
  examples: ["framework doctor", "framework doctor --fix"],
  async run({ cwd, config, values, output, env }) {
    if (values["fix"] === true) {
      const written = await writeMissing(cwd, config);
      for (const entry of written) output.success(`Added to ${entry}`);
      if (written.length === 0) output.info("No binding is missing.");
    }
    const findings = await examine(cwd, config, { env });
    if (values["json"] === true) output.data(JSON.stringify(findings, null, 2));
    else show(findings, output);
    if (findings.some(({ configuration }) => configuration)) return ExitCode.config;
    return findings.some(({ status }) => status === "problem") ? ExitCode.failure : ExitCode.ok;
  },
};

function show(findings: Finding[], output: Output): void {
  const color = output.dataColor;
  const marks = { ok: color.green("✓"), warning: color.yellow("!"), problem: color.red("✗") };
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, message, fix } of findings) {
    if (output.quiet && status === "ok") continue;
    const [first, ...others] = printable(message).split("\n");
    const indent = " ".repeat(width + 4);
    output.data(`${marks[status]} ${check.padEnd(width)}  ${first}`);
    for (const line of others) output.data(indent + line);
    if (fix !== undefined) output.data(indent + color.dim(printable(fix)));
  }
}
