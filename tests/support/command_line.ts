import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCli } from "../../cli/main.ts";

/** Output and exit code of a command. */
export interface Transcript {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `framework` in this process, off a terminal: in one of its own it says the same, as transcripts_test.ts holds. */
export function framework(cwd: string, ...argv: string[]): Promise<Transcript> {
  return frameworkWith({ cwd, env: {} }, ...argv);
}

/** Runs `framework` in this process, with environment variables of its own. */
export async function frameworkWith(
  { cwd, env }: { cwd: string; env: Record<string, string> },
  ...argv: string[]
): Promise<Transcript> {
  let stdout = "";
  let stderr = "";
  const code = await runCli(argv, {
    cwd,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: Deno.env.get("HOME") ?? "", ...env },
    stdout: { write: (text) => stdout += text },
    stderr: { write: (text) => stderr += text },
  });
  return { code, stdout, stderr };
}

/** A platform's file that every command accepts. */
export const platformFile: string = JSON.stringify({
  name: "app",
  compatibility_date: "2026-07-01",
  compatibility_flags: ["nodejs_compat"],
  d1_databases: [{ binding: "DB" }],
});

/** Makes a folder with these files for a test, and removes it afterwards. */
export async function withProject(
  files: Record<string, string>,
  test: (root: string) => Promise<void> | void,
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-project-")));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    await test(root);
  } finally {
    await rm(root, { recursive: true });
  }
}
