/**
 * Settings of what `createAuth()` made.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";

/** Key of the settings in an `Auth`. Global, because an application may hold two copies of the library. */
export const SETTINGS: unique symbol = Symbol.for("framework.auth.settings");

/** Object that knows its settings. */
export interface WithSettings<Env> {
  /** The checked options in an environment. */
  [SETTINGS](env: Env): Settings;
}

/**
 * The settings of what `createAuth()` made.
 *
 * @throws {TypeError} For anything else.
 */
export function settingsOf<Env>(auth: object, env: Env): Settings {
  const read = (auth as Partial<WithSettings<Env>>)[SETTINGS];
  if (read === undefined) throw new TypeError("Cannot read this: createAuth() did not make it");
  return read(env);
}
