import { checkKeys, optionsAt, wrongOption } from "../config/check.ts";
import type { AuthEvents } from "./events.ts";

const TYPES: readonly (keyof AuthEvents)[] = [
  "*",
  "sign-in",
  "sign-in-failed",
  "sign-up",
  "sign-out",
  "session-revoked",
  "email-verified",
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
  const given = optionsAt(value, "events");
  checkKeys(given, TYPES, "events");
  const events: AuthEvents = {};
  for (const type of TYPES) {
    const listener = given[type];
    if (listener === undefined) continue;
    if (typeof listener !== "function") {
      throw wrongOption(`events["${type}"]`, listener, "a function");
    }
    // Bound, since an application may have written them as methods of one object.
    events[type] = listener.bind(given);
  }
  return events;
}
