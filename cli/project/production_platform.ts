import { dirname, join, relative, sep } from "node:path";
import type { JsonValue } from "./jsonc.ts";
import type { Platform } from "./platform.ts";

type Section = Record<string, JsonValue>;

/** How wrangler would make a worker of sources: the built one is complete. */
const aboutBuilding = [
  "$schema",
  "alias",
  "base_dir",
  "build",
  "define",
  "find_additional_modules",
  "jsx_factory",
  "jsx_fragment",
  "minify",
  "preserve_file_names",
  "rules",
  "tsconfig",
];

/**
 * The platform's file for the built worker: the same bindings, its paths relative to the output folder.
 *
 * @param platform The project's own file.
 * @param outDir Absolute path of the folder that the new file will stand in.
 */
export function productionPlatform(platform: Platform, outDir: string): Section {
  const move = (path: string): string => {
    const moved = relative(outDir, join(dirname(platform.file), path)).split(sep).join("/");
    return moved === "" ? "." : moved;
  };
  const section = convert(platform.raw, move);
  const environments = platform.raw["env"];
  return {
    ...section,
    ...(isSection(environments)
      ? {
        env: Object.fromEntries(
          Object.entries(environments).map((
            [name, value],
          ) => [name, isSection(value) ? convert(value, move) : value]),
        ),
      }
      : {}),
    main: "worker.js",
    no_bundle: true,
    // The worker is complete. What lies beside it, such as the page of --analyze, is not a part of it.
    find_additional_modules: false,
    assets: assets(platform.raw["assets"]),
  };
}

function convert(source: Section, move: (path: string) => string): Section {
  const section: Section = Object.fromEntries(
    Object.entries(source).filter(([key]) => !aboutBuilding.includes(key) && key !== "main"),
  );
  const databases = section["d1_databases"];
  if (Array.isArray(databases)) {
    section["d1_databases"] = databases.map((database) =>
      isSection(database) && typeof database["migrations_dir"] === "string"
        ? { ...database, migrations_dir: move(database["migrations_dir"]) }
        : database
    );
  }
  if (section["assets"] !== undefined) section["assets"] = assets(section["assets"]);
  return section;
}

function assets(declared: JsonValue | undefined): Section {
  return { ...(isSection(declared) ? declared : {}), directory: "assets" };
}

function isSection(value: JsonValue | undefined): value is Section {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
