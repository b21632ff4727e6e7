import type { Definition } from "../config/definition.ts";
import type { AuthEvents } from "./events.ts";
import { readEvents } from "./read_events.ts";

/**
 * Declares listeners to what happens: the default export of `app/auth/events.ts`.
 *
 * @param events The listeners by type of event, or a function that makes them from the environment.
 * @throws {ConfigurationError} For an unknown type of event; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { defineAuthEvents } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const audit: string[] = [];
 * const events = defineAuthEvents({
 *   "sign-in": ({ userId, provider }) => audit.push(`${userId} by ${provider}`),
 *   "sign-in-failed": ({ code, address }) => audit.push(`${code} from ${address}`),
 * });
 * equal(typeof events, "object");
 * ```
 */
export function defineAuthEvents<Env = never>(
  events: Definition<AuthEvents, Env>,
): Definition<AuthEvents, Env> {
  if (typeof events !== "function") readEvents(events);
  return events;
}
