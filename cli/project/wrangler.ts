import { runPackage, type ToolResult, type ToolRun } from "./run_tool.ts";

/**
 * Runs the project's wrangler: it asks nothing, and tells nobody that it ran.
 *
 * @param args Its arguments.
 * @param options How.
 * @throws {CliError} Exit code 2 when wrangler is not installed.
 */
export function runWrangler(args: string[], options: ToolRun): Promise<ToolResult> {
  const env = {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
    ...options.env,
    // Below this level wrangler keeps its results to itself.
    WRANGLER_LOG: "log",
  };
  return runPackage("wrangler", args, { ...options, env });
}

/**
 * What wrangler printed as JSON. Notices may stand before it.
 *
 * @param stdout Its standard output.
 * @returns Undefined when there is none.
 */
export function readWranglerJson(stdout: string): unknown {
  for (const { index } of stdout.matchAll(/^[[{]/gm)) {
    try {
      return JSON.parse(stdout.slice(index));
    } catch {
      continue;
    }
  }
  return undefined;
}

/**
 * What wrangler says went wrong: of its JSON when it was asked for that, else the text of its error.
 *
 * @param result What came of it.
 */
export function wranglerMessage(result: ToolResult): string {
  // The command has no such option, and there is nobody whom a temporary account would serve.
  return rawMessage(result).split("\n").filter((line) => !line.includes("`--temporary`")).join("\n")
    .trim();
}

function rawMessage({ stdout, stderr }: ToolResult): string {
  const json = readWranglerJson(stdout) as
    | { error?: { text?: unknown; notes?: { text?: unknown }[] } }
    | undefined;
  const { text, notes = [] } = json?.error ?? {};
  if (typeof text === "string") {
    const reasons = notes.map((note) => String(note.text));
    // Which address of the platform was asked helps nobody when the platform says why.
    const lines = reasons.length > 0 && GENERIC.test(text) ? reasons : [text, ...reasons];
    return lines.join("\n").trim();
  }
  const plain = `${stderr}\n${stdout}`.replace(COLOR, "");
  const lines = plain.split("\n").map((line) => line.trimEnd());
  const start = lines.findIndex((line) => /\[ERROR\]/.test(line));
  if (start === -1) return lines.filter((line) => line !== "").slice(-5).join("\n");
  const error = lines.slice(start).join("\n").split(/\n+\s*(?:🪵|If you think)/u)[0] ?? "";
  const [first = "", ...rest] = error
    .replace(/^.*\[ERROR\]\s*/, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return (rest.length > 0 && GENERIC.test(first) ? rest : [first, ...rest]).join("\n");
}

const GENERIC = /^A request to the Cloudflare API .* failed\.$/;

// deno-lint-ignore no-control-regex -- colour sequences begin with the escape character.
const COLOR = /\x1b\[[0-9;]*m/g;
