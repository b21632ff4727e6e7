import type { JsonValue } from "../tools/jsonc.ts";

/** Events for which the platform starts the worker. */
export interface PlannedBackground {
  /** Cron expressions, in UTC. */
  crons: string[];
  /** Queues whose messages the worker receives. */
  consumers: string[];
  /** Migrations of durable objects, in order; the platform runs those that are new. */
  objects: PlannedObjects[];
}

/** One migration of durable objects. */
export interface PlannedObjects {
  tag: string;
  /** Descriptions of the changes, for example `creates Room`. */
  changes: string[];
}

type Section = Record<string, JsonValue>;

/** The key of each kind of change, and its verb. */
const verbs: Record<string, string> = {
  "new_sqlite_classes": "creates",
  "new_classes": "creates (without SQLite)",
  "renamed_classes": "renames",
  "transferred_classes": "takes over",
  "deleted_classes": "deletes with all its data",
};

/**
 * Lists crons, queue consumers and durable object migrations of an environment.
 *
 * @param section The settings that hold there.
 */
export function listBackground(section: Section): PlannedBackground {
  return {
    crons: listOf(asSection(section["triggers"])["crons"]).map(String),
    consumers: listOf(asSection(section["queues"])["consumers"])
      .map((consumer) => String(asSection(consumer)["queue"])),
    objects: listOf(section["migrations"]).map(asSection).map((migration) => ({
      tag: String(migration["tag"]),
      changes: Object.entries(verbs).flatMap(([key, verb]) =>
        listOf(migration[key]).map((entry) => `${verb} ${classOf(entry)}`)
      ),
    })),
  };
}

function classOf(entry: JsonValue): string {
  if (typeof entry === "string") return entry;
  const { from, to, ["from_script"]: script } = asSection(entry);
  return `${from}${script === undefined ? "" : ` of ${script}`} to ${to}`;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function asSection(value: JsonValue | undefined): Section {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
