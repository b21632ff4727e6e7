import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { readModuleNames } from "../source/module_exports.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { readSchedule } from "./cron_schedule.ts";
import { appPath, type ObjectExports } from "./entry.ts";
import type { Platform } from "./platform.ts";
import type { AppScan } from "./scan.ts";

/**
 * Compares queues, durable objects and cron jobs with the platform's file: what is missing on either side would never run.
 *
 * @param scan The application's files; those of objects and cron jobs are read.
 * @param platform The platform's file.
 * @returns What the worker has to export.
 * @throws {CliError} Exit code 2, with the lines to add.
 */
export function checkBackground(scan: AppScan, platform: Platform): ObjectExports[] {
  const check: Check = {
    platform,
    name: basename(platform.file),
    show: (file) => appPath(scan.appDir, file),
  };
  checkQueues(scan, check);
  checkCron(scan, check);
  return checkObjects(scan, check);
}

interface Check {
  platform: Platform;
  /** Name of the platform's file. */
  name: string;
  show(file: string): string;
}

function checkQueues({ queues }: AppScan, { platform, name, show }: Check): void {
  const consumers = platform.queues.consumers.map(({ queue }) => queue);
  for (const [queue, file] of Object.entries(queues)) {
    if (consumers.includes(queue)) continue;
    const entry = { queue };
    throw problem(`${show(file)} would get no messages: ${name} has no consumer of "${queue}".`, {
      hint: hasKey(platform, "queues", "consumers")
        ? `Add to queues.consumers of ${name}: ${text(entry)}`
        : hasKey(platform, "queues")
        ? `Add to queues of ${name}: "consumers": [${text(entry)}]`
        : `Add to ${name}: "queues": { "consumers": [${text(entry)}] }`,
    });
  }
  const unhandled = consumers.find((queue) => !Object.hasOwn(queues, queue));
  if (unhandled === undefined) return;
  throw problem(`${name} names a consumer of "${unhandled}", and nothing handles its messages.`, {
    hint: `Write app/queues/${unhandled}.ts with \`export function queue(messages, env, ctx)\`.`,
  });
}

function checkCron({ cron }: AppScan, { platform, name, show }: Check): void {
  const triggers = platform.raw["triggers"];
  const crons = isSection(triggers) && Array.isArray(triggers["crons"]) ? triggers["crons"] : null;
  const scheduled = new Set<unknown>();
  for (const file of cron) {
    const schedule = readSchedule(readFileSync(file, "utf8"));
    if (schedule === null) {
      throw problem(`${show(file)} exports no schedule that can be read without running it.`, {
        hint: 'Write it out: export const schedule = "0 3 * * *"; or a list of such strings.',
      });
    }
    for (const expression of schedule) scheduled.add(expression);
    const missing = schedule.filter((expression) => !crons?.includes(expression));
    if (missing.length === 0) continue;
    const list = missing.map((expression) => JSON.stringify(expression)).join(", ");
    throw problem(`${show(file)} would never run: ${name} does not trigger it at ${list}.`, {
      hint: crons === null
        ? `Add to ${name}: "triggers": { "crons": [${list}] }`
        : `Add to triggers.crons of ${name}: ${list}`,
    });
  }
  const idle = crons?.find((expression) => !scheduled.has(expression));
  if (idle === undefined) return;
  throw problem(`${name} triggers the worker at ${JSON.stringify(idle)}, and nothing runs then.`, {
    hint: "Write a file in app/cron with this schedule, or delete it from triggers.crons.",
  });
}

function checkObjects({ objects }: AppScan, { platform, name, show }: Check): ObjectExports[] {
  const bindings = platform.durableObjects.filter(({ scriptName }) => scriptName === undefined);
  const bound = new Set(bindings.map(({ className }) => className));
  const migrated = migratedClasses(platform);
  const found = new Map<string, string>();
  const result = objects.map((file): ObjectExports => {
    const exported = readModuleNames(readFileSync(file, "utf8"), file)?.exports ?? [];
    const names = exported.map((entry) => entry.name);
    const classes = names.filter((each) => bound.has(each));
    if (classes.length === 0) throw unbound(names.find((each) => /^\p{Lu}/u.test(each)), file);
    for (const each of classes) {
      const other = found.get(each);
      if (other !== undefined) {
        throw problem(`${show(other)} and ${show(file)} both export the class ${each}.`, {
          hint: "Rename one of them.",
        });
      }
      found.set(each, file);
    }
    return { file, classes };
  });

  function unbound(className: string | undefined, file: string): CliError {
    if (className === undefined) {
      return problem(`${show(file)} exports no class.`, {
        hint: "Export the durable object's class by its name, or begin the file's name with _.",
      });
    }
    const binding = { name: upperSnake(className), "class_name": className };
    return problem(`${show(file)} would never be used: ${name} does not bind ${className}.`, {
      hint: `Add to ${name}: ` + (hasKey(platform, "durable_objects")
        ? `in durable_objects.bindings ${text(binding)}`
        : `"durable_objects": { "bindings": [${text(binding)}] }`) +
        (migrated.has(className) ? "" : `, ${migrationLine(platform, className)}`),
    });
  }

  for (const className of bound) {
    if (!found.has(className)) {
      throw problem(`${name} binds the durable object ${className}, and no file exports it.`, {
        hint: `Write a file in app/objects with \`export class ${className}\`.`,
      });
    }
    if (!migrated.has(className)) {
      throw problem(`${name} binds ${className}, and no migration there creates it.`, {
        hint: `Add to ${name}: ${migrationLine(platform, className)}`,
      });
    }
  }
  return result;
}

/** The classes that the platform's file creates by its migrations. */
function migratedClasses({ raw }: Platform): Set<unknown> {
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

function migrationLine({ raw }: Platform, className: string): string {
  const before = listOf(raw["migrations"]).length;
  const migration = text({ tag: `v${before + 1}`, "new_sqlite_classes": [className] });
  return before === 0 ? `"migrations": [${migration}]` : `in migrations ${migration}`;
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

function upperSnake(name: string): string {
  return name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, "_").toUpperCase();
}

/** One line of JSON, spaced as people write it. */
function text(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(
    / \]/g,
    "]",
  );
}

function problem(message: string, options: { hint: string }): CliError {
  return new CliError(message, { exitCode: ExitCode.config, ...options });
}
