import { readText } from "../config/read_values.ts";

/** The id of the application at a provider. */
export function readClientId(value: unknown): string {
  return readText(value, "clientId", "the id of the application at the provider");
}

/** What is asked for at a provider, as a parameter; without it the choice is the provider's. */
export function readScope(value: unknown): { scope?: string } {
  return value === undefined ? {} : { scope: readText(value, "scope", "a text") };
}
