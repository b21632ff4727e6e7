import { join } from "node:path";
import process from "node:process";
import { capture } from "../../scripts/run_command.ts";
import { exists } from "../../scripts/workspace.ts";

/** The runtime part of Deno that this machine has, for `deno compile`; null when it has none. */
export async function findDenort(): Promise<string | null> {
  const named = process.env["DENORT_BIN"];
  if (named !== undefined && named !== Deno.execPath()) return named;
  const { stdout } = await capture(Deno.execPath(), ["info", "--json"]);
  const { denoDir } = JSON.parse(stdout) as { denoDir: string };
  const file = join(
    denoDir,
    "dl",
    "release",
    `v${Deno.version.deno}`,
    `denort-${Deno.build.target}.zip`,
  );
  return await exists(file) ? file : null;
}
