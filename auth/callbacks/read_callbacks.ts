import { functionsOf } from "../config/read_values.ts";
import type { AuthCallbacks } from "./callbacks.ts";

/**
 * Checks the callbacks of an application.
 *
 * @throws {ConfigurationError} For an unknown name, or for what is no function.
 */
export function readCallbacks(value: unknown): AuthCallbacks {
  return functionsOf<AuthCallbacks>(value, "callbacks", ["signIn", "redirect", "session", "jwt"]);
}
