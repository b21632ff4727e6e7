/** Oldest Node that the command runs on: the first whose `node:sqlite` needs no flag. */
const OLDEST_NODE = [22, 13] as const;

/**
 * Whether a version of Node is new enough for the command.
 *
 * @param version For example `22.13.0` or `v22.13.0`.
 */
export function isSupportedNode(version: string | undefined): boolean {
  const match = /^v?(\d+)\.(\d+)\./.exec(version?.trim() ?? "");
  if (match === null) return false;
  const major = Number(match[1]);
  const minor = Number(match[2]);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/**
 * What to tell the user of an unsupported Node; undefined when the runtime is fine.
 *
 * @param versions `process.versions`.
 */
export function unsupportedRuntime(
  versions: Record<string, string | undefined>,
): { message: string; hint: string } | undefined {
  if (versions["deno"] !== undefined || isSupportedNode(versions["node"])) return undefined;
  return {
    message: `framework needs Node 22.13 or newer, or Deno; this is Node ${versions["node"]}.`,
    hint:
      "Install Node 22.13 or newer, or run `npx -y deno@2.9.6 run -A npm:@framework/cli` in place of `framework`.",
  };
}
