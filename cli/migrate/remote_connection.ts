import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readWranglerJson, runWrangler, wranglerMessage } from "../project/wrangler.ts";
import { CliError } from "../terminal/exit.ts";

/** Rows of one statement. */
export type Rows = Record<string, unknown>[];

/** The platform's database, through the project's wrangler. */
export interface RemoteConnection {
  /** Runs statements and returns the rows of each. */
  query(sql: string): Promise<Rows[]>;
  /** Runs a file of statements; when one fails, the platform takes all back. */
  execute(sql: string): Promise<void>;
}

/** What {@linkcode connectRemote} needs. */
export interface RemoteOptions {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the platform's file. */
  platformFile: string;
  /** Binding of the database. */
  binding: string;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
}

/**
 * Reaches the platform's database by `wrangler d1 execute --remote`.
 *
 * @param options The project and its database.
 */
export function connectRemote(options: RemoteOptions): RemoteConnection {
  const { root, platformFile, binding, env, signal } = options;
  async function run(args: string[]): Promise<unknown> {
    const result = await runWrangler(
      ["d1", "execute", binding, "--remote", "--json", "--yes", "--config", platformFile, ...args],
      // What has reached the platform goes on there: knowing how it ended is worth the wait.
      { root, env, signal, shielded: true },
    );
    const json = readWranglerJson(result.stdout);
    if (result.code === 0 && Array.isArray(json)) return json;
    const message = wranglerMessage(result) || "wrangler ended without a message.";
    const lacksAccess = /CLOUDFLARE_API_TOKEN|authenticat|log ?in/i.test(message);
    const hint = lacksAccess ? "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN." : undefined;
    throw new CliError(message, { hint });
  }
  return {
    async query(sql) {
      const results = await run(["--command", sql]) as { results?: Rows }[];
      return results.map((result) => result.results ?? []);
    },
    async execute(sql) {
      const folder = await mkdtemp(join(tmpdir(), "framework-migration-"));
      try {
        const file = join(folder, "migration.sql");
        await writeFile(file, sql, { mode: 0o600 });
        await run(["--file", file]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
