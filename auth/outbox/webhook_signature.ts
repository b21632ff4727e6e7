/**
 * Secrets and signatures of webhooks, as the Standard Webhooks specification 1.0.0 has them.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { fromBase64, toBase64 } from "../lib/encoding.ts";
import { constantTimeEqualText, createTextKey, type TextKey } from "../lib/hash.ts";
import { randomBytes } from "../lib/secret.ts";

const PREFIX = "whsec_";
const [MIN_BYTES, MAX_BYTES] = [24, 64];
const VERSION = "v1,";

/** Base64 with its padding. */
function toPaddedBase64(bytes: Uint8Array): string {
  const text = toBase64(bytes);
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

/**
 * Makes a secret for one receiver: `whsec_` and the base64 of 32 random bytes. Show it to whoever runs the receiver,
 * and store it sealed: who has it can send events in your name.
 *
 * @example
 * ```ts
 * import { createWebhookSecret } from "@framework/auth/webhooks";
 * import { match } from "node:assert/strict";
 *
 * match(createWebhookSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/);
 * ```
 */
export function createWebhookSecret(): string {
  return PREFIX + toPaddedBase64(randomBytes(32));
}

/**
 * Reads a secret.
 *
 * @param field The option, for the message, which has nothing of the secret.
 * @throws {ConfigurationError} For anything but `whsec_` and the base64 of 24 to 64 bytes.
 */
export function readWebhookSecret(value: unknown, field: string): TextKey {
  const text = typeof value === "string" && value.startsWith(PREFIX)
    ? value.slice(PREFIX.length)
    : "=";
  const bytes = fromBase64(text.length % 4 === 0 ? text.replace(/={1,2}$/, "") : text);
  if (bytes !== null && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) {
    return createTextKey(bytes);
  }
  const found = value === undefined ? "found nothing; " : "";
  throw new ConfigurationError(
    `Wrong option "${field}": ${found}write "${PREFIX}" and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes, as ` +
      "createWebhookSecret() makes it",
    { field },
  );
}

/** Content of a message that is signed. */
export interface SignedContent {
  /** The header `webhook-id`. */
  id: string;
  /** The header `webhook-timestamp`: seconds since 1970. */
  timestamp: string;
  /** The body, as it is sent. */
  body: string;
}

/** The signature of each key, with its version. */
async function signaturesOf(
  { id, timestamp, body }: SignedContent,
  keys: readonly TextKey[],
): Promise<string[]> {
  const text = `${id}.${timestamp}.${body}`;
  const signatures = await Promise.all(keys.map((key) => key.sign(text)));
  return signatures.map((one) => `${VERSION}${one.replaceAll("-", "+").replaceAll("_", "/")}=`);
}

/** The header `webhook-signature`: one signature for each key. */
export async function signWebhook(
  content: SignedContent,
  keys: readonly TextKey[],
): Promise<string> {
  return (await signaturesOf(content, keys)).join(" ");
}

/**
 * True if one of the signatures in the header is of one of the keys. Each is compared in constant time; those of other
 * versions are equal to none.
 */
export async function verifySignatures(
  content: SignedContent,
  header: string,
  keys: readonly TextKey[],
): Promise<boolean> {
  const expected = await signaturesOf(content, keys);
  return header.split(" ").some((one) =>
    expected.some((signature) => constantTimeEqualText(signature, one))
  );
}
