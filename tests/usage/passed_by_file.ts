import { join, relative } from "node:path";
import type { NpmProject } from "../support/npm_project.ts";

interface Results {
  testResults: { name: string; assertionResults: { status: string }[] }[];
}

/**
 * Runs vitest in a project; it has to succeed.
 *
 * @returns How many tests passed, by file below `tests`, and everything that was printed.
 */
export async function passedByFile(
  app: NpmProject,
  args: string[],
): Promise<{ passed: Record<string, number>; said: string }> {
  const file = join(app.root, "results.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { code, stdout, stderr } = await app.vitest(...args, ...reporters);
  const said = stdout + stderr;
  if (code !== 0) throw new Error(`vitest ended with exit code ${code}.\n${said}`);
  const { testResults }: Results = JSON.parse(await Deno.readTextFile(file));
  await Deno.remove(file);
  const passed = testResults.map(({ name, assertionResults }) =>
    [
      relative(join(app.root, "tests"), name),
      assertionResults.filter(({ status }) => status === "passed").length,
    ] as const
  );
  return { passed: Object.fromEntries(passed), said };
}
