import { join } from "node:path";
import { capture, run } from "../../scripts/run_command.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "./file_lock.ts";
import { installNpm } from "./node.ts";

/** The release that is built. */
const RELEASE = "12.11.1";
const PLACE = join(repositoryRoot, "tests", "output", "better-sqlite3");
const DONE = join(PLACE, "installed");

/**
 * True when better-sqlite3 is installed or can be built: it is C++, for whose build npm requires a
 * compiler.
 */
export async function canHaveBetterSqlite3(): Promise<boolean> {
  if (await exists(DONE)) return true;
  const tools = ["c++", "make", "python3"];
  const found = await Promise.all(
    tools.map((tool) => capture(tool, ["--version"]).then(() => true, () => false)),
  );
  return found.every(Boolean) && await exists("/usr/include/node/node.h");
}

/**
 * Builds better-sqlite3 for the Node whose headers this machine has, which takes two minutes, once.
 *
 * @param node The Node, of the same release line as the headers.
 * @returns The folder in which it can be required.
 */
export async function installBetterSqlite3(node: string): Promise<string> {
  const npm = join(await installNpm(), "bin", "npm-cli.js");
  await withFileLock(`${PLACE}.lock`, async () => {
    if (await exists(DONE)) return;
    await Deno.mkdir(PLACE, { recursive: true });
    await Deno.writeTextFile(
      join(PLACE, "package.json"),
      JSON.stringify({ private: true, dependencies: { "better-sqlite3": RELEASE } }),
    );
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    await run(node, [npm, "install", ...options], { cwd: PLACE });
    const gyp = join(npm, "..", "..", "node_modules", "node-gyp", "bin", "node-gyp.js");
    await run(node, [gyp, "rebuild", "--release", "--nodedir=/usr"], {
      cwd: join(PLACE, "node_modules", "better-sqlite3"),
    });
    await Deno.writeTextFile(DONE, RELEASE);
  });
  return PLACE;
}
