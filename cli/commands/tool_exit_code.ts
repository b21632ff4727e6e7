import { ExitCode } from "../terminal/exit.ts";
import type { CommandContext } from "./command.ts";

/**
 * The exit code of a command whose tool has said itself what it found: tools have codes of their own, which mean other
 * things here.
 *
 * @param ctx The running command.
 * @param tool What ended, for `--verbose`.
 * @param code Its exit code.
 */
export function toolExitCode({ output }: CommandContext, tool: string, code: number): number {
  if (code === 0) return ExitCode.ok;
  output.detail(`${tool} ended with code ${code}.`);
  return ExitCode.failure;
}
