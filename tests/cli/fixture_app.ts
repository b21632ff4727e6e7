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
  return await createApp(files, sources ??= copyPackages(["auth", "cli"]));
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
      await writeFile(join(root, path), text);
    },
    remove: (path) => rm(join(root, path), { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
  for (const [path, text] of Object.entries({ ...common, ...files })) await app.write(path, text);
  installPackages(join(root, "node_modules"), packages);
  return app;
}

/** What every application has in its `node_modules`; paths in it are relative to that. */
export interface Packages {
  /** Folder with the files, copied from the repository once for all applications of a test file. */
  origin: string;
  folders: string[];
  files: string[];
  /** Packages of the repository and its tests, which an application of theirs may import. */
  linked: string[];
}

let sources: Packages | undefined;

/** Each application has these files under names of its own, as links: nothing writes into an installed package. */
function installPackages(target: string, { origin, folders, files, linked }: Packages): void {
  for (const folder of folders) Deno.mkdirSync(`${target}/${folder}`, { recursive: true });
  for (const file of files) Deno.linkSync(`${origin}/${file}`, `${target}/${file}`);
  for (const name of linked) {
    Deno.symlinkSync(join(repository, "node_modules", name), `${target}/${name}`);
  }
}

/**
 * Copies packages for the applications of a test file, without their tests and the starter.
 *
 * @param from Their folders, relative to the repository; sources, or what is made of them.
 */
export function copyPackages(from: readonly string[]): Packages {
  const origin = Deno.makeTempDirSync({ prefix: "framework-sources-" });
  addEventListener("unload", () => Deno.removeSync(origin, { recursive: true }));
  const { imports } = JSON.parse(Deno.readTextFileSync(join(repository, "deno.json")));
  const linked = Object.keys(imports);
  const scopes = new Set(linked.filter((name) => name.includes("/")).map((name) => dirname(name)));
  const folders = [...scopes];
  const files: string[] = [];
  // One after another and synchronously: for files as small as these, to wait for each costs ten times the copy.
  function copy(source: string, target: string): void {
    folders.push(target);
    Deno.mkdirSync(join(origin, target), { recursive: true });
    for (const { name, isDirectory } of Deno.readDirSync(source)) {
      if (name === "templates" || /_test\.tsx?$/.test(name)) continue;
      if (isDirectory) copy(join(source, name), `${target}/${name}`);
      else {
        Deno.copyFileSync(join(source, name), join(origin, target, name));
        files.push(`${target}/${name}`);
      }
    }
  }
  for (const folder of from) {
    const name = `@framework/${basename(folder)}`;
    const manifest = `${name}/package.json`;
    copy(join(repository, folder), name);
    if (files.includes(manifest)) continue;
    const { exports } = JSON.parse(Deno.readTextFileSync(join(repository, folder, "deno.json")));
    Deno.writeTextFileSync(
      join(origin, manifest),
      JSON.stringify({ name, version: "0.0.0", type: "module", exports }),
    );
    files.push(manifest);
  }
  return { origin, folders, files, linked };
}
