import type { JsonValue } from "../tools/jsonc.ts";

/** A class of durable objects that the platform file declares, with a binding or without one. */
export interface ObjectClassEntry {
  /** Name of the class, which the worker exports. */
  className: string;
  /** True for a class whose storage is SQLite. */
  useSQLite: boolean;
}

/**
 * Lists the worker's own classes of durable objects: those of `migrations`, one after the other, or of `exports`. The worker
 * reaches those without a binding by `ctx.exports`.
 *
 * @param raw The platform file as written.
 *
 * @example
 * ```ts
 * import { objectClasses } from "@framework/cli/testing";
 * import { deepEqual } from "node:assert/strict";
 *
 * const migrations = [{ tag: "v1", new_sqlite_classes: ["Counter"] }];
 * deepEqual(objectClasses({ migrations }), [{ className: "Counter", useSQLite: true }]);
 * ```
 */
export function objectClasses(raw: Record<string, JsonValue>): ObjectClassEntry[] {
  const classes = new Map<string, boolean>();
  for (const migration of objectsIn(raw["migrations"])) {
    for (const name of textsIn(migration["new_classes"])) classes.set(name, false);
    for (const name of textsIn(migration["new_sqlite_classes"])) classes.set(name, true);
    for (const name of textsIn(migration["deleted_classes"])) classes.delete(name);
    for (const { from, to } of objectsIn(migration["renamed_classes"])) {
      if (typeof from !== "string" || typeof to !== "string") continue;
      classes.set(to, classes.get(from) ?? false);
      classes.delete(from);
    }
    for (const { to } of objectsIn(migration["transferred_classes"])) {
      if (typeof to === "string") classes.set(to, false);
    }
  }
  for (const [name, entry] of Object.entries(asObject(raw["exports"]))) {
    const { type, storage } = asObject(entry);
    if (type === "durable-object") classes.set(name, storage === "sqlite");
  }
  return [...classes].map(([className, useSQLite]) => ({ className, useSQLite }));
}

function asObject(value: JsonValue | undefined): Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function objectsIn(list: JsonValue | undefined): Record<string, JsonValue>[] {
  return Array.isArray(list) ? list.map(asObject) : [];
}

function textsIn(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
