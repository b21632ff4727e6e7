import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The variables of `.dev.vars`; none when the project has no such file. */
export function readSecrets(root: string): Record<string, string> {
  try {
    return { ...parseEnv(readFileSync(join(root, ".dev.vars"), "utf8")) } as Record<
      string,
      string
    >;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return {};
    throw error;
  }
}
