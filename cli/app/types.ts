import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import process from "node:process";
import type { ProjectConfig } from "../config/load.ts";
import { readMigrations } from "../migrate/files.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import { assetTypes, removeStaleTypes } from "./asset_types.ts";
import { databaseMembers } from "./database_types.ts";
import { type EnvTypes, envTypes, HEADER, OWN, PLATFORM_FILE } from "./env_types.ts";
import { readTableTypes } from "./postgres_types.ts";
import { type RouteTypes, routeTypes } from "./route_types.ts";
import { scanApp } from "./scan.ts";

/** File beside the migrations that declares types of columns. */
const COLUMNS_FILE = "columns.ts";

/** Source text of the type of the database. */
interface DatabaseTypes {
  /** Members of the interface of tables. */
  members: string[];
  /** File that declares types of columns, for an import; null without one. */
  columns: string | null;
}

/**
 * Writes the types of the application into `.framework/types`: environment, database, folders and
 * links in `app.ts`, declarations of imported assets, and those of the platform for projects that have
 * none. A file with the same
 * content is not rewritten, so that no watcher is triggered.
 *
 * @param config The project.
 * @returns Absolute paths of what was written.
 * @throws {CliError} Exit code 2 for a wrong platform file or a route conflict, 1 for a migration that
 * SQLite refuses.
 */
export async function writeTypes(config: ProjectConfig): Promise<string[]> {
  const { root, appDir } = config;
  const folder = join(root, ".framework", "types");
  // A folder without an application yet also has types to check.
  if (!existsSync(config.platformFile)) return [];
  const scan = existsSync(appDir) ? await scanApp(appDir) : undefined;
  const platform = await readPlatform(config);
  const isPostgres = config.dialect === "postgres";
  const postgres = isPostgres ? config.database : undefined;
  const env = envTypes(platform, { root, folder, scan, postgres });
  const columns = join(config.migrationsDir, COLUMNS_FILE);
  const hasDatabase = platform.d1Databases.some(({ binding }) => binding === config.database);
  const files: Record<string, string> = {
    // For `types` of tsconfig.json, which takes declarations only.
    "index.d.ts": `${HEADER}\n/// <reference path="./assets.d.ts" />\nimport "./app.ts";\n`,
    "app.ts": appText(
      env,
      scan && routeTypes(scan, folder),
      {
        members: isPostgres
          ? await readTableTypes(config.migrationsDir)
          : await databaseMembers(hasDatabase ? await readMigrations(config.migrationsDir) : []),
        columns: existsSync(columns) ? relative(folder, columns).split(sep).join("/") : null,
      },
    ),
  };
  const assets = assetTypes(config, HEADER);
  Object.assign(files, assets);
  await removeStaleTypes(folder, assets);
  if (env.platform !== null) files[PLATFORM_FILE] = env.platform;
  const written: string[] = [];
  await mkdir(folder, { recursive: true });
  // What an earlier version or other settings have left would be read with the rest.
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isFile() || name in files || name.endsWith(".tmp")) continue;
    await rm(join(folder, name), { force: true });
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (await readFile(path, "utf8").catch(() => null) === text) continue;
    // A concurrent reader gets the old file or the new one, never a part.
    const draft = `${path}.${process.pid}.tmp`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, text);
    await rename(draft, path);
    written.push(path);
  }
  return written;
}

/** Returns the text of `app.ts`. Errors in it are reported, unlike those of a `.d.ts`. */
function appText(
  env: EnvTypes,
  routes: RouteTypes | undefined,
  { members: database, columns: declared }: DatabaseTypes,
): string {
  const columns = ["ColumnType", "Generated", "GeneratedAlways"]
    .filter((name) => database.some((line) => line.includes(`${name}<`)));
  const checks = routes?.checks ?? [];
  const contracts = ["ErrorPageFile", "LayoutFile", "MiddlewareFile", "PageFile", "RouteFile"]
    .filter((name) => checks.some((line) => line.includes(` ${name}<`)));
  const registered = [
    "env: Env",
    ...(database.length === 0 ? [] : ["database: Database"]),
    ...(checks.length === 0 ? [] : ["routes: Routes", "links: Links"]),
  ];
  return [
    HEADER,
    ...env.references,
    ...env.imports,
    ...(contracts.length === 0 ? [] : [`import type { ${contracts.join(", ")} } from "${OWN}";`]),
    ...(declared === null || database.length === 0 ? [] : [
      `import type { ColumnsOf, DeclaredTables } from "${OWN}";`,
      `import type { Columns } from ${JSON.stringify(declared)};`,
    ]),
    ...(columns.length === 0 ? [] : [`import type { ${columns.join(", ")} } from "kysely";`]),
    "",
    `declare module "${OWN}" {`,
    "  interface Register {",
    ...registered.map((field) => `    ${field};`),
    "  }",
    "}",
    "",
    "/** Bindings, variables and secrets that the platform gives to the application. */",
    "interface Env {",
    ...env.members,
    "}",
    ...env.helpers,
    ...(database.length === 0 ? [] : [
      "",
      "/** Tables and views of the migrations. */",
      `interface ${declared === null ? "Database" : "Tables"} {`,
      ...database,
      "}",
    ]),
    ...(declared === null || database.length === 0 ? [] : [
      "",
      "type Declares<Declared extends ColumnsOf<Tables, Declared>> = DeclaredTables<Tables, Declared>;",
      "",
      `/** The tables with the types that \`${COLUMNS_FILE}\` declares. */`,
      "type Database = Declares<Columns>;",
    ]),
    ...(routes === undefined || checks.length === 0 ? [] : [
      "",
      "/** Folders of `app/` with their files. */",
      "interface Routes {",
      ...routes.routes,
      "}",
      "",
      "/** Pages and routes by their addresses. */",
      "interface Links {",
      ...routes.links,
      "}",
      "",
      "type Fits<Module extends File, File> = Module;",
    ]),
    "",
    "/** A file that does not fit here has types of another folder. */",
    "export type Files = [",
    ...checks,
    "];",
    "",
  ].join("\n");
}
