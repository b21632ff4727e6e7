import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { tokenize } from "../source/tokens.ts";
import { type Finding, ok, warning } from "./finding.ts";

const FIX = "Write cookies: { sessionToken: { hostOnly: true } } into defineAuthConfig(), with " +
  "hostOnlySince: new Date(…) beside it where people are signed in already.";

/**
 * Looks whether the session cookie has the prefix `__Host-`. The file is read and not run, since what is in
 * it may depend on the environment.
 *
 * @returns Undefined for a project without accounts.
 */
export function checkSessionCookie({ root, appDir }: ProjectConfig): Finding | undefined {
  const check = "session cookie";
  const folder = join(appDir, "auth");
  if (!existsSync(folder)) return undefined;
  const file = join(folder, "config.ts");
  if (existsSync(file) && isHostOnly(readFileSync(file, "utf8"))) {
    return ok(check, "for this host alone");
  }
  return warning(
    check,
    `${
      displayPath(root, file)
    } does not say hostOnly, so any other host of the site can plant a session`,
    FIX,
  );
}

function isHostOnly(source: string): boolean {
  const tokens = tokenize(source, { jsx: false }) ?? [];
  return tokens.some(({ kind, text }, index) =>
    kind === "string"
      ? /^.__Host-/i.test(text)
      : text === "hostOnly" && tokens[index + 1]?.text === ":" && tokens[index + 2]?.text === "true"
  );
}
