import { wrongOption } from "../config/check.ts";

/** The id of a provider, which becomes a part of addresses. */
export function readProviderId(value: unknown): string {
  if (typeof value === "string" && /^[a-z0-9][a-z0-9-]{0,63}$/.test(value)) return value;
  throw wrongOption("id", value, "lower-case letters, digits and -");
}
