import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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
  installPackages(join(root, "node_modules"));
  return app;
}

/** What every application has in its `node_modules`; paths in it are relative to that. */
interface Packages {
  /** Folder of the packages' sources, copied from the repository once for all applications of a test file. */
  sources: string;
  folders: string[];
  files: string[];
  /** Packages of the repository and its tests, which an application of theirs may import. */
  linked: string[];
}

let packages: Packages | undefined;

/** Each application has these files under names of its own, as links: nothing writes into an installed package. */
function installPackages(target: string): void {
  const { sources, folders, files, linked } = packages ??= copySources();
  for (const folder of folders) Deno.mkdirSync(`${target}/${folder}`, { recursive: true });
  for (const file of files) Deno.linkSync(`${sources}/${file}`, `${target}/${file}`);
  for (const name of linked) {
    Deno.symlinkSync(join(repository, "node_modules", name), `${target}/${name}`);
  }
}

function copySources(): Packages {
  const sources = Deno.makeTempDirSync({ prefix: "framework-sources-" });
  addEventListener("unload", () => Deno.removeSync(sources, { recursive: true }));
  const { imports } = JSON.parse(Deno.readTextFileSync(join(repository, "deno.json")));
  const linked = Object.keys(imports);
  const scopes = new Set(linked.filter((name) => name.includes("/")).map((name) => dirname(name)));
  const found: Packages = { sources, folders: [...scopes], files: [], linked };
  // One after another and synchronously: for files as small as these, waiting for each costs ten times the copy.
  function copy(from: string, name: string): void {
    found.folders.push(name);
    Deno.mkdirSync(join(sources, name), { recursive: true });
    for (const entry of Deno.readDirSync(from)) {
      const inner = `${name}/${entry.name}`;
      if (entry.name === "templates" || /_test\.tsx?$/.test(entry.name)) continue;
      if (entry.isDirectory) copy(join(from, entry.name), inner);
      else {
        Deno.copyFileSync(join(from, entry.name), join(sources, inner));
        found.files.push(inner);
      }
    }
  }
  for (const name of ["auth", "cli"]) {
    copy(join(repository, name), `@framework/${name}`);
    const { exports } = JSON.parse(Deno.readTextFileSync(join(repository, name, "deno.json")));
    const manifest = `@framework/${name}/package.json`;
    Deno.writeTextFileSync(
      join(sources, manifest),
      JSON.stringify({ name: `@framework/${name}`, version: "0.0.0", type: "module", exports }),
    );
    found.files.push(manifest);
  }
  return found;
}
