import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** An application in a temporary folder, with this repository's packages. */
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
 * Writes an application with the sources as its packages. These are no symbolic links: a bundler resolves what they
 * import from where they really lie, and in the repository that is not the application's node_modules.
 */
export async function createFixtureApp(files: Record<string, string>): Promise<FixtureApp> {
  return await createApp(files, sources ??= findPackages(["auth", "cli"]));
}

/** Writes an application with these packages. */
export async function createApp(
  files: Record<string, string>,
  packages: Packages,
): Promise<FixtureApp> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-app-" }));
  const app: FixtureApp = {
    root,
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      // In place it would be written in the repository, too.
      if (path.startsWith("node_modules/")) await rm(join(root, path), { force: true });
      await writeFile(join(root, path), text);
    },
    remove: (path) => rm(join(root, path), { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
  for (const [path, text] of Object.entries({ ...common, ...files })) await app.write(path, text);
  installPackages(join(root, "node_modules"), packages);
  return app;
}

/** Content of `node_modules` in every application; its paths are relative to that. */
export interface Packages {
  folders: string[];
  /** Files of the packages, with their absolute paths in the repository. */
  files: [path: string, source: string][];
  /** Files that are written. */
  texts: [path: string, text: string][];
  /** Packages of the repository and its tests, which an application of theirs may import. */
  linked: string[];
}

let sources: Packages | undefined;

/**
 * Each application has these files under names of its own, as links: nothing writes into an installed package. One call
 * after another and synchronously, because to wait for each costs ten times as much.
 */
function installPackages(target: string, { folders, files, texts, linked }: Packages): void {
  for (const folder of folders) Deno.mkdirSync(`${target}/${folder}`, { recursive: true });
  for (const [path, source] of files) linkOrCopy(source, `${target}/${path}`);
  for (const [path, text] of texts) Deno.writeTextFileSync(`${target}/${path}`, text);
  for (const name of linked) {
    Deno.symlinkSync(join(repository, "node_modules", name), `${target}/${name}`);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    Deno.linkSync(source, target);
  } catch {
    // On another disk.
    Deno.copyFileSync(source, target);
  }
}

/**
 * Finds packages for the applications of a test file, without their tests and the starter.
 *
 * @param from Their folders, relative to the repository; sources, or what is made of them.
 */
export function findPackages(from: readonly string[]): Packages {
  const { imports } = JSON.parse(Deno.readTextFileSync(join(repository, "deno.json")));
  const linked = Object.keys(imports);
  const scopes = new Set(linked.filter((name) => name.includes("/")).map((name) => dirname(name)));
  const found: Packages = { folders: [...scopes], files: [], texts: [], linked };
  function enter(source: string, target: string): void {
    found.folders.push(target);
    for (const { name, isDirectory } of Deno.readDirSync(source)) {
      if (name === "templates" || /_test\.tsx?$/.test(name)) continue;
      if (isDirectory) enter(join(source, name), `${target}/${name}`);
      else found.files.push([`${target}/${name}`, join(source, name)]);
    }
  }
  for (const folder of from) {
    const name = `@framework/${basename(folder)}`;
    const manifest = `${name}/package.json`;
    enter(join(repository, folder), name);
    if (found.files.some(([path]) => path === manifest)) continue;
    const { exports } = JSON.parse(Deno.readTextFileSync(join(repository, folder, "deno.json")));
    const text = JSON.stringify({ name, version: "0.0.0", type: "module", exports });
    found.texts.push([manifest, text]);
  }
  return found;
}
