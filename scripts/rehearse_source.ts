/**
 * The source of a rehearsal: a copy of this repository, in which the next versions come to be.
 *
 * @module
 */

import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "./run_command.ts";
import { exists, repositoryRoot } from "./workspace.ts";

/** Runs git with an identity of its own; the folder may be that of another user, as in a container. */
async function git(cwd: string, ...args: string[]): Promise<string> {
  const settings = ["safe.directory=*", "user.name=Release", "user.email=release@app.example"];
  const flags = settings.flatMap((setting) => ["-c", setting]);
  return (await run("git", [...flags, ...args], { cwd })).stdout;
}

/** Copies what git knows of this repository and what it does not ignore, as it stands in the folder, into a new one. */
export async function copySource(root: string): Promise<void> {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  for (const file of (await git(repositoryRoot, ...listed)).split("\0")) {
    if (file === "" || !await exists(join(repositoryRoot, file))) continue;
    await Deno.mkdir(dirname(join(root, file)), { recursive: true });
    await copyFile(join(repositoryRoot, file), join(root, file));
  }
  await git(root, "init", "--quiet");
  await commitAll(root, "The state that is rehearsed");
}

/** Commits all changes. */
export async function commitAll(root: string, message: string): Promise<void> {
  await git(root, "add", "--all");
  await git(root, "commit", "--quiet", "--message", message);
}

/** Leaves nothing of a release before, as in a fresh clone, but the installed packages. */
export async function cleanSource(root: string): Promise<void> {
  await git(root, "clean", "-xdfq", "--exclude", "node_modules");
}

/** Replaces what a file has once. */
async function replaceOnce(file: string, now: string | RegExp, next: string): Promise<void> {
  const text = await Deno.readTextFile(file);
  const found = text.split(now).length - 1;
  if (found !== 1) throw new Error(`${file} has ${now} ${found} times, and not once.`);
  await Deno.writeTextFile(file, text.replace(now, () => next));
}

/** A version of the tables to come. */
export interface NextTables {
  /** Column of `users` that it adds. */
  column: string;
  /** True for the first that the libraries of all versions before can no longer use, except for the last. */
  endsSupport: boolean;
}

/**
 * Adds a version of the tables, as a maintainer would: the column in the table and in a step, the numbers, the changelog.
 *
 * @returns Number of the new version.
 */
export async function addTables(
  root: string,
  { column, endsSupport }: NextTables,
): Promise<number> {
  const storage = join(root, "auth", "storage");
  const executor = join(storage, "sql_executor.ts");
  const text = await Deno.readTextFile(executor);
  const [before, compatible] = ["SCHEMA_VERSION", "COMPATIBLE_VERSION"]
    .map((name) => Number(new RegExp(`export const ${name} = (\\d+);`).exec(text)![1])) as [
      number,
      number,
    ];
  const version = before + 1;
  const oldest = endsSupport ? before : compatible;
  await replaceOnce(executor, `SCHEMA_VERSION = ${before};`, `SCHEMA_VERSION = ${version};`);
  await replaceOnce(
    executor,
    `COMPATIBLE_VERSION = ${compatible};`,
    `COMPATIBLE_VERSION = ${oldest};`,
  );
  const tables = join(storage, "tables.ts");
  const users = "  image TEXT,\n  email_verified ${integer},\n";
  const definition = `${column} TEXT NOT NULL DEFAULT ''`;
  await replaceOnce(tables, users, `  ${definition},\n${users}`);
  const steps = "    2: {\n      up: () => `CREATE INDEX IF NOT EXISTS users_by_creation";
  const step = `    ${version}: {
      up: () => \`ALTER TABLE users ADD COLUMN ${definition};\`,
      down: \`ALTER TABLE users DROP COLUMN ${column};\`,
    },
`;
  await replaceOnce(tables, steps, `${step}${steps}`);
  const versions = /\n\}\];\n(?=\n\/\*\* Writes the statements that make all tables)/;
  await replaceOnce(
    join(storage, "schema.ts"),
    versions,
    `
}, {
  version: ${version},
  compatible: ${oldest},
  features: [userTables],
  up: () => \`UPDATE auth_schema SET version = ${version}, compatible = ${oldest};\`,
  down: \`UPDATE auth_schema SET version = ${before}, compatible = ${compatible};\`,
}];
`,
  );
  return version;
}
