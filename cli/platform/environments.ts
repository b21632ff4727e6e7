import { basename, dirname, join, relative, sep } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { didYouMean } from "../terminal/suggestion.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { environmentSection, isSection, ownOfEachEnvironment } from "./environment_section.ts";
import type { Platform } from "./wrangler_file.ts";

/** Environment of a deployment. */
export interface DeployEnvironment {
  /** Name of the block of the platform file; null for its top level. */
  name: string | null;
  /** Name of the worker on the platform. */
  workerName: string;
  /** Settings of the environment. */
  section: Record<string, JsonValue>;
  /** Top-level bindings that the block lacks: the platform does not inherit them. */
  notInherited: string[];
  /** Arguments for wrangler. */
  args: string[];
}

/**
 * Finds the environment to deploy to. `production` means the top level unless the platform file has
 * a block of that name: wrangler would otherwise create a second worker, named after the
 * environment.
 *
 * @param platform The platform's file.
 * @param requested Value of `--env`.
 * @throws {CliError} Exit code 2 for an environment that the file does not have.
 */
export function findEnvironment(platform: Platform, requested: string): DeployEnvironment {
  const { env, ...top } = platform.raw;
  const environments = isSection(env) ? env : {};
  const block = Object.hasOwn(environments, requested) ? environments[requested] : undefined;
  if (isSection(block)) {
    const name = block["name"];
    return {
      name: requested,
      workerName: typeof name === "string" ? name : `${platform.name}-${requested}`,
      section: environmentSection(platform.raw, requested)!,
      notInherited: ownOfEachEnvironment.filter((key) =>
        Object.hasOwn(top, key) && !Object.hasOwn(block, key)
      ),
      args: ["--env", requested],
    };
  }
  const names = Object.keys(environments);
  if (requested !== "production") {
    throw new CliError(
      `${basename(platform.file)} has no environment ${JSON.stringify(requested)}.${
        didYouMean(requested, names)
      }`,
      {
        exitCode: ExitCode.config,
        hint: names.length === 0
          ? "Add it under `env`, or omit --env to deploy the top level."
          : `Environments: ${names.join(", ")}. Without --env the top level is deployed.`,
      },
    );
  }
  return {
    name: null,
    workerName: platform.name,
    section: top,
    notInherited: [],
    // wrangler warns when there are environments and none is selected.
    args: ["--env", ""],
  };
}

/**
 * Finds the files of queues that only an environment of the platform file names: messages of
 * `mails-staging` and `staging-mails` of the environment `staging` go to `app/queues/mails.ts`.
 *
 * @param queues Files of `app/queues` by the name of the queue.
 * @param platform The platform's file.
 * @returns The same files by the further names.
 */
export function environmentQueues(
  queues: Record<string, string>,
  platform: Platform,
): Record<string, string> {
  return Object.fromEntries(
    furtherQueues(queues, platform).flatMap(({ queue, name }) =>
      name === undefined ? [] : [[queue, queues[name]!]]
    ),
  );
}

/**
 * Finds the queues that only an environment of the platform file names, and that no file fits.
 *
 * @param queues Files of `app/queues` by the name of the queue.
 * @param platform The platform's file.
 */
export function unhandledEnvironmentQueues(
  queues: Record<string, string>,
  platform: Platform,
): { message: string; hint: string }[] {
  const unhandled = furtherQueues(queues, platform).filter(({ name }) => name === undefined);
  return unhandled.map(({ queue, environment }) => ({
    message: `${
      basename(platform.file)
    } declares a consumer of "${queue}" in env.${environment}, but nothing handles its messages.`,
    hint:
      `Create app/queues/${queue}.ts, or name the queue after the file and the environment, as in "mails-${environment}".`,
  }));
}

function furtherQueues(
  queues: Record<string, string>,
  platform: Platform,
): { queue: string; environment: string; name: string | undefined }[] {
  return Object.entries(asSection(platform.raw["env"])).flatMap(([environment, section]) => {
    const { consumers } = asSection(asSection(section)["queues"]);
    return (Array.isArray(consumers) ? consumers : []).flatMap((consumer) => {
      const { queue } = asSection(consumer);
      if (typeof queue !== "string" || Object.hasOwn(queues, queue)) return [];
      const name = namesOf(queue, environment).find((each) => Object.hasOwn(queues, each));
      return [{ queue, environment, name }];
    });
  });
}

function namesOf(queue: string, environment: string): string[] {
  return [`-${environment}`, `_${environment}`].filter((end) => queue.endsWith(end))
    .map((end) => queue.slice(0, -end.length))
    .concat(
      [`${environment}-`, `${environment}_`].filter((start) => queue.startsWith(start))
        .map((start) => queue.slice(start.length)),
    );
}

function asSection(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : {};
}

type Section = Record<string, JsonValue>;

/** Settings by which wrangler would build a worker from sources; the built one is complete. */
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
 * Returns the platform file for the built worker: the same bindings, with paths relative to the
 * output folder.
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
    // The worker is complete. Other files next to it, such as the page of --analyze, are not a part
    // of it.
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
