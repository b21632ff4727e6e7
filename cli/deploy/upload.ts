import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import {
  readWranglerJson,
  runWrangler,
  type ToolResult,
  type ToolRun,
  wranglerMessage,
} from "../tools/run.ts";

/** Built worker, and how to run wrangler. */
export interface UploadSubject extends ToolRun {
  /** Absolute path of the platform file that the build wrote. */
  configFile: string;
  /** Arguments that select the environment. */
  environment: string[];
}

/** Addresses of a deployed worker. */
export interface Deployment {
  /** Version on the platform; null when wrangler does not report it. */
  versionId: string | null;
  /** Addresses and routes. */
  targets: string[];
}

/**
 * Asks the platform for the names of the worker's secrets; a worker that does not exist yet has
 * none.
 *
 * @throws {CliError} Exit code 4 with wrangler's message.
 */
export async function listSecrets(subject: UploadSubject): Promise<string[]> {
  const { configFile, environment } = subject;
  const args = ["secret", "list", "--format", "json", "--config", configFile, ...environment];
  const result = await runWrangler(args, subject);
  const list = readWranglerJson(result.stdout);
  if (result.code === 0 && Array.isArray(list)) {
    return (list as { name?: unknown }[]).map(({ name }) => String(name));
  }
  const message = wranglerMessage(result);
  if (/Worker ".*" not found|\[code: 10007\]/.test(message)) return [];
  throw deployError("The platform did not return the names of the worker's secrets", result);
}

/**
 * Uploads the worker and its static files.
 *
 * @throws {CliError} Exit code 4 with wrangler's message.
 */
export async function upload(subject: UploadSubject): Promise<Deployment> {
  const { configFile, environment } = subject;
  const folder = await mkdtemp(join(tmpdir(), "framework-deploy-"));
  const report = join(folder, "report.ndjson");
  try {
    const result = await runWrangler(["deploy", "--config", configFile, ...environment], {
      ...subject,
      env: { ...subject.env, WRANGLER_OUTPUT_FILE_PATH: report },
    });
    if (result.code !== 0) throw deployError("wrangler did not deploy the worker", result);
    return readReport(await readFile(report, "utf8").catch(() => ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads wrangler's report: one JSON object per line. */
function readReport(text: string): Deployment {
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const entry = JSON.parse(line) as {
      type?: string;
      ["version_id"]?: string | null;
      targets?: string[];
    };
    if (entry.type !== "deploy") continue;
    return { versionId: entry["version_id"] ?? null, targets: entry.targets ?? [] };
  }
  return { versionId: null, targets: [] };
}

function deployError(what: string, result: ToolResult): CliError {
  const message = wranglerMessage(result) || `it ended with code ${result.code}`;
  const isAboutLogin = /CLOUDFLARE_API_TOKEN|logged in|authenticat|\[code: 10000\]/i.test(message);
  return new CliError(`${what}: ${message}`, {
    exitCode: ExitCode.deploy,
    hint: isAboutLogin
      ? "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a valid token."
      : "Correct what wrangler reports, then deploy again. --verbose shows its complete output.",
  });
}
