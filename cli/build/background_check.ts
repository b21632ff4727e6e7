import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { appPath, type ObjectExports } from "../app/entry.ts";
import { readModuleNames, readSchedule } from "../app/exports.ts";
import type { AppScan } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import { unhandledEnvironmentQueues } from "../platform/environments.ts";
import { CRON_FIELDS, impossibleCron } from "../platform/cron_expression.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { formatInline, type ListAddition } from "../tools/jsonc_edit.ts";

/** The database of the configuration. */
type Database = Pick<ProjectConfig, "database" | "file" | "lacksDatabase">;

/**
 * Compares queues, durable objects, cron jobs and the database with the platform file: an entry
 * that is missing on either side would never run.
 *
 * @param scan The application's files; those of objects and cron jobs are read.
 * @param platform The platform's file.
 * @param config The project's configuration, for the database.
 * @returns What the worker has to export.
 * @throws {CliError} Exit code 2, with all that is missing and the lines to add.
 */
export function checkBackground(
  scan: AppScan,
  platform: Platform,
  config: Database,
): ObjectExports[] {
  const { exports, faults } = compareBackground(scan, platform, config);
  if (faults.length === 0) return exports;
  throw new CliError(faults.flatMap(({ messages }) => messages).join("\n"), {
    exitCode: ExitCode.config,
    hint: faults.map(({ hint }) => hint).join("\n"),
  });
}

/** Result of {@linkcode compareBackground}. */
export interface BackgroundComparison {
  /** Exports that the worker requires. */
  exports: ObjectExports[];
  faults: BackgroundFault[];
}

/**
 * Compares queues, durable objects, cron jobs and the database with the platform file.
 *
 * @param scan The application's files; those of objects and cron jobs are read.
 * @param platform The platform's file.
 * @param config The project's configuration, for the database.
 */
export function compareBackground(
  scan: AppScan,
  platform: Platform,
  config: Database,
): BackgroundComparison {
  const check: Check = {
    platform,
    name: basename(platform.file),
    show: (file) => appPath(scan.appDir, file),
  };
  const { exports, faults } = checkObjects(scan, check);
  const environments = unhandledEnvironmentQueues(scan.queues, platform);
  return {
    exports,
    faults: [
      ...(config.lacksDatabase ? [missingDatabase(config, platform)] : []),
      ...checkQueues(scan, check),
      ...environments.map(({ message, hint }) => ({ messages: [message], hint, additions: [] })),
      ...checkCron(scan, check),
      ...faults,
    ],
  };
}

interface Check {
  platform: Platform;
  /** Name of the platform's file. */
  name: string;
  show(file: string): string;
}

/** Mistakes that one edit corrects. */
export interface BackgroundFault {
  messages: string[];
  hint: string;
  /** The edit, where it is one of the platform file; otherwise empty. */
  additions: ListAddition[];
}

function missingDatabase(
  { database: binding, file: configuration }: Database,
  { file, name }: Platform,
): BackgroundFault {
  const item = { binding, "database_name": name };
  return {
    messages: [
      `${basename(configuration ?? "framework.config.ts")}: database is "${binding}", but ${
        basename(file)
      } declares no D1 database with this binding.`,
    ],
    hint: `Add to ${basename(file)}: "d1_databases": [${formatInline(item)}]`,
    additions: [{ path: ["d1_databases"], item }],
  };
}

function checkQueues({ queues }: AppScan, { platform, name, show }: Check): BackgroundFault[] {
  const consumers = platform.queues.consumers.map(({ queue }) => queue);
  const unfed = Object.entries(queues).filter(([queue]) => !consumers.includes(queue));
  const unhandled = consumers.filter((queue) => !Object.hasOwn(queues, queue));
  const faults = unhandled.map((queue): BackgroundFault => ({
    messages: [
      `${name} declares a consumer of "${queue}", but nothing handles its messages.`,
    ],
    hint: `Create app/queues/${queue}.ts with \`export function queue(messages, env, { db })\`.`,
    additions: [],
  }));
  if (unfed.length === 0) return faults;
  const entries = unfed.map(([queue]) => formatInline({ queue })).join(", ");
  const missing: BackgroundFault = {
    messages: unfed.map(([queue, file]) =>
      `${show(file)} would receive no messages, because ${name} declares no consumer of "${queue}".`
    ),
    hint: hasKey(platform, "queues", "consumers")
      ? `Add to queues.consumers of ${name}: ${entries}`
      : hasKey(platform, "queues")
      ? `Add to queues of ${name}: "consumers": [${entries}]`
      : `Add to ${name}: "queues": { "consumers": [${entries}] }`,
    additions: unfed.map(([queue]) => ({ path: ["queues", "consumers"], item: { queue } })),
  };
  return [missing, ...faults];
}

function checkCron({ cron }: AppScan, { platform, name, show }: Check): BackgroundFault[] {
  const triggers = platform.raw["triggers"];
  const crons = isSection(triggers) && Array.isArray(triggers["crons"]) ? triggers["crons"] : null;
  const scheduled = new Set<unknown>();
  const untriggered = new Set<string>();
  const messages: string[] = [];
  const faults: BackgroundFault[] = [];
  let isReadable = true;
  for (const file of cron) {
    const schedule = readSchedule(readFileSync(file, "utf8"));
    if (schedule === null) {
      isReadable = false;
      faults.push({
        messages: [`${show(file)} exports no schedule that can be read without running the file.`],
        hint:
          'Write it as a literal, export const schedule = "0 3 * * *", or as a list of such strings.',
        additions: [],
      });
      continue;
    }
    for (const expression of schedule) scheduled.add(expression);
    const impossible = schedule.filter((expression) => impossibleCron(expression) !== null);
    if (impossible.length > 0) {
      faults.push({
        messages: impossible.map((expression) =>
          `${show(file)}: schedule ${JSON.stringify(expression)} ${impossibleCron(expression)}.`
        ),
        hint: CRON_FIELDS,
        additions: [],
      });
    }
    const missing = schedule.filter((expression) =>
      !impossible.includes(expression) && !crons?.includes(expression)
    );
    if (missing.length === 0) continue;
    for (const expression of missing) untriggered.add(expression);
    const at = missing.map((expression) => JSON.stringify(expression)).join(", ");
    messages.push(`${show(file)} would never run, because ${name} does not trigger it at ${at}.`);
  }
  if (messages.length > 0) {
    const list = [...untriggered].map((expression) => JSON.stringify(expression)).join(", ");
    const hint = crons === null
      ? `Add to ${name}: "triggers": { "crons": [${list}] }`
      : `Add to triggers.crons of ${name}: ${list}`;
    const additions = [...untriggered].map((item) => ({ path: ["triggers", "crons"], item }));
    faults.push({ messages, hint, additions });
  }
  // An unreadable schedule may be the one that a trigger is for.
  const idle = isReadable ? crons?.filter((expression) => !scheduled.has(expression)) ?? [] : [];
  if (idle.length > 0) {
    faults.push({
      messages: idle.map((expression) =>
        `${name} triggers the worker at ${JSON.stringify(expression)}, but nothing runs then.`
      ),
      hint: "Create a file in app/cron with this schedule, or delete it from triggers.crons.",
      additions: [],
    });
  }
  return faults;
}

function checkObjects(
  { objects }: AppScan,
  { platform, name, show }: Check,
): { exports: ObjectExports[]; faults: BackgroundFault[] } {
  const bindings = platform.durableObjects.filter(({ scriptName }) => scriptName === undefined);
  const bound = new Set(bindings.map(({ className }) => className));
  const found = new Map<string, string>();
  const unbound: { className: string; file: string }[] = [];
  const exports: ObjectExports[] = [];
  const faults: BackgroundFault[] = [];
  for (const file of objects) {
    const exported = readModuleNames(readFileSync(file, "utf8"), file)?.exports ?? [];
    const names = exported.map((entry) => entry.name);
    const classes = names.filter((each) => bound.has(each));
    const className = names.find((each) => /^\p{Lu}/u.test(each));
    if (classes.length === 0 && className === undefined) {
      faults.push({
        messages: [`${show(file)} exports no class.`],
        hint: "Export the durable object's class by its name, or prefix the file's name with _.",
        additions: [],
      });
    } else if (classes.length === 0) unbound.push({ className: className!, file });
    for (const each of classes) {
      const other = found.get(each);
      if (other !== undefined) {
        faults.push({
          messages: [`${show(other)} and ${show(file)} both export the class ${each}.`],
          hint: "Rename one of them.",
          additions: [],
        });
      }
      found.set(each, file);
    }
    exports.push({ file, classes });
  }
  for (const className of bound) {
    if (found.has(className)) continue;
    faults.push({
      messages: [`${name} binds the durable object ${className}, but no file exports it.`],
      hint: `Create a file in app/objects with \`export class ${className}\`.`,
      additions: [],
    });
  }
  return { exports, faults: [...missingObjects(unbound, [...found.keys()]), ...faults] };

  /**
   * Finds missing settings of the platform file: bindings, and one migration for all classes that
   * no migration creates.
   */
  function missingObjects(
    unbound: { className: string; file: string }[],
    present: string[],
  ): BackgroundFault[] {
    const migrated = migratedClasses(platform);
    const created = present.filter((className) => !migrated.has(className));
    const toMigrate = [...unbound.map(({ className }) => className), ...created]
      .filter((className) => !migrated.has(className));
    const messages = [
      ...unbound.map(({ className, file }) =>
        `${show(file)} would never be used, because ${name} does not bind ${className}.`
      ),
      ...created.map((className) =>
        `${name} binds ${className}, but none of its migrations creates the class.`
      ),
    ];
    if (messages.length === 0) return [];
    const classes = { unbound: unbound.map(({ className }) => className), unmigrated: toMigrate };
    const additions = objectAdditions(platform, classes);
    const list = additions.slice(0, unbound.length).map(({ item }) => formatInline(item)).join(
      ", ",
    );
    const binding = hasKey(platform, "durable_objects")
      ? `in durable_objects.bindings ${list}`
      : `"durable_objects": { "bindings": [${list}] }`;
    const shown = additions.slice(unbound.length).map(({ item }) =>
      listOf(platform.raw["migrations"]).length === 0
        ? `"migrations": [${formatInline(item)}]`
        : `in migrations ${formatInline(item)}`
    );
    const lines = [...(unbound.length > 0 ? [binding] : []), ...shown];
    return [{ messages, hint: `Add to ${name}: ${lines.join(", ")}`, additions }];
  }
}

/**
 * Returns the entries of a platform file for durable objects: their bindings, then one migration.
 *
 * @param platform The platform's file.
 * @param classes Classes that it does not bind, and those that none of its migrations creates.
 */
export function objectAdditions(
  { raw }: Platform,
  { unbound, unmigrated }: { unbound: readonly string[]; unmigrated: readonly string[] },
): ListAddition[] {
  const tag = `v${listOf(raw["migrations"]).length + 1}`;
  const migration = { tag, "new_sqlite_classes": [...new Set(unmigrated)] };
  return [
    ...unbound.map((className) => ({
      path: ["durable_objects", "bindings"],
      item: { name: bindingName(className), "class_name": className },
    })),
    ...(unmigrated.length === 0 ? [] : [{ path: ["migrations"], item: migration }]),
  ];
}

/** Returns the classes that the platform file's migrations create. */
export function migratedClasses({ raw }: Platform): Set<unknown> {
  const classes = listOf(raw["migrations"]).flatMap((migration) =>
    !isSection(migration) ? [] : [
      "new_sqlite_classes",
      "new_classes",
      "renamed_classes",
      "transferred_classes",
    ].flatMap((key) => listOf(migration[key]))
  );
  return new Set(classes.map((entry) => isSection(entry) ? entry["to"] : entry));
}

function hasKey({ raw }: Platform, key: string, inner?: string): boolean {
  const section = raw[key];
  return inner === undefined
    ? section !== undefined
    : isSection(section) && section[inner] !== undefined;
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns the usual name of a binding, such as `CHAT_ROOM`.
 *
 * @param name Name of a class or of a queue, such as `ChatRoom` and `chat-room`.
 */
export function bindingName(name: string): string {
  return name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, "_").replace(/\W+/g, "_").toUpperCase();
}
