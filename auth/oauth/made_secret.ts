import { isFilledText } from "../config/read_values.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { ClientSecret } from "./client_auth.ts";
import { readSecretText } from "./client_secret.ts";

/** The application's secret at a provider: a text, or made by a function, at each use. */
export function readMadeSecret(
  value: unknown,
  { id, write }: { id: string; write?: string },
): ClientSecret {
  if (typeof value !== "function") {
    const secret = readSecretText(value, write);
    return () => secret;
  }
  return async function makeSecret() {
    const secret: unknown = await value();
    if (isFilledText(secret)) return secret;
    throw new ConfigurationError(`The provider "${id}" has no clientSecret`, {
      field: "clientSecret",
    });
  };
}
