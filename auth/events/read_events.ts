import { functionsOf } from "../config/read_values.ts";
import type { AuthEvents } from "./events.ts";

const TYPES: readonly (keyof AuthEvents)[] = [
  "*",
  "sign-in",
  "sign-in-failed",
  "sign-up",
  "sign-out",
  "session-revoked",
  "email-verified",
  "email-changed",
  "account-linked",
  "account-unlinked",
  "passkey-added",
  "passkey-removed",
  "replay-detected",
  "rate-limited",
  "password-changed",
  "origin-refused",
];

/**
 * Checks the listeners of an application.
 *
 * @throws {ConfigurationError} For an unknown type of event, or for what is no function.
 */
export function readEvents(value: unknown): AuthEvents {
  return functionsOf<AuthEvents>(value, "events", TYPES);
}
