import { checkKeys, optionsAt, wrongOption } from "../config/check.ts";
import type { AuthCallbacks } from "./callbacks.ts";

const NAMES = ["signIn", "redirect", "session", "jwt"] as const;

/**
 * Checks the callbacks of an application.
 *
 * @throws {ConfigurationError} For an unknown name, or for what is no function.
 */
export function readCallbacks(value: unknown): AuthCallbacks {
  const given = optionsAt(value, "callbacks");
  checkKeys(given, NAMES, "callbacks");
  const callbacks: AuthCallbacks = {};
  for (const name of NAMES) {
    const callback = given[name];
    if (callback === undefined) continue;
    if (typeof callback !== "function") {
      throw wrongOption(`callbacks.${name}`, callback, "a function");
    }
    // Bound, since an application may have written them as methods of one object.
    callbacks[name] = callback.bind(given);
  }
  return callbacks;
}
