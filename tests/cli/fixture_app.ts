import { type Dirent, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** An application in a temporary folder, with this repository's sources installed as its packages. */
export interface FixtureApp {
  root: string;
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Files that make every fixture an application. */
const common: Record<string, string> = {
  "package.json": JSON.stringify({ name: "fixture", private: true, type: "module" }),
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB", database_name: "fixture", database_id: "fixture-id" }],
  }),
};

/**
 * Writes an application. Its packages are no symbolic links: a bundler resolves what they import from where they
 * really lie, and in the repository that is not the application's node_modules.
 */
export async function createFixtureApp(files: Record<string, string>): Promise<FixtureApp> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-app-" }));
  const app: FixtureApp = {
    root,
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    remove: (path) => rm(join(root, path), { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
  for (const [path, text] of Object.entries({ ...common, ...files })) await app.write(path, text);
  await installPackages(root);
  for (const name of await installedPackages()) {
    const link = join(root, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(repository, "node_modules", name), link);
  }
  return app;
}

/** Packages of the repository and its tests, which an application of theirs may import. */
async function installedPackages(): Promise<string[]> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(repository, "deno.json")));
  return Object.keys(imports);
}

/** The packages' sources, copied from the repository once for all applications of a test file. */
let sources: Promise<{ folder: string; entries: Dirent[] }> | undefined;

/** Each application has these files under names of its own, as links: nothing writes into an installed package. */
async function installPackages(root: string): Promise<void> {
  const { folder, entries } = await (sources ??= copySources());
  const target = join(root, "node_modules");
  for (const entry of entries) {
    const from = join(entry.parentPath, entry.name);
    const to = join(target, relative(folder, from));
    if (entry.isDirectory()) mkdirSync(to, { recursive: true });
    else linkSync(from, to);
  }
}

async function copySources(): Promise<{ folder: string; entries: Dirent[] }> {
  const folder = await Deno.makeTempDir({ prefix: "framework-sources-" });
  addEventListener("unload", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["auth", "cli"]) {
    const source = join(repository, name);
    const target = join(folder, "@framework", name);
    const { exports } = JSON.parse(await Deno.readTextFile(join(source, "deno.json")));
    await cp(source, target, {
      recursive: true,
      filter: (path) => !/_test\.tsx?$/.test(path) && !path.includes("/templates"),
    });
    await writeFile(
      join(target, "package.json"),
      JSON.stringify({ name: `@framework/${name}`, version: "0.0.0", type: "module", exports }),
    );
  }
  // A folder comes before what lies in it.
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return { folder, entries: entries.sort((a, b) => depth(a) - depth(b)) };
}

function depth({ parentPath }: Dirent): number {
  return parentPath.length;
}
