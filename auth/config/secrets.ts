import { encodeText } from "../crypto/encoding.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";

const MIN_SECRET_BYTES = 32;

function isStrong(secret: unknown): secret is string {
  return typeof secret === "string" && encodeText(secret).length >= MIN_SECRET_BYTES;
}

/**
 * Checks the option `secret`: one secret or several, of which the first signs and all verify. Empty when it is
 * left out.
 *
 * @throws {ConfigurationError} When one is missing or too short (RFC 7518, 3.2).
 */
export function readSecrets(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const secrets: unknown[] = Array.isArray(value) ? value : [value];
  if (secrets.length > 0 && secrets.every(isStrong)) return secrets;
  // The value is not described: a short secret is a secret too.
  throw new ConfigurationError(
    `Wrong option "secret": each secret must be a text of at least ${MIN_SECRET_BYTES} bytes. ` +
      "Make one with: openssl rand -hex 32",
    { field: "secret" },
  );
}
