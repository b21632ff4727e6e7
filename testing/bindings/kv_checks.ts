import type { KvPutOptions } from "./kv_types.ts";

const MAX_KEY_BYTES = 512;
const MAX_VALUE_BYTES = 25 * 1024 * 1024;
const MAX_METADATA_BYTES = 1024;
const MIN_TTL_SECONDS = 60;

/** Refuses the keys that the platform refuses, with its words. */
export function checkKey(key: string, method: string): void {
  if (key === "") throw new TypeError("Key name cannot be empty.");
  if (key === "." || key === "..") {
    throw new TypeError(`"${key}" is not allowed as a key name.`);
  }
  const length = bytesOf(key);
  if (length > MAX_KEY_BYTES) {
    throw failure(
      method,
      414,
      `UTF-8 encoded length of ${length} exceeds key length limit of ${MAX_KEY_BYTES}.`,
    );
  }
}

/** Refuses the values and options that the platform refuses, with its words. */
export function checkPut(bytes: Uint8Array, options: KvPutOptions, now: number): void {
  const { expirationTtl, expiration, metadata } = options;
  const seconds = Math.floor(now / 1000);
  if (expirationTtl !== undefined) {
    checkExpiry("expiration_ttl", expirationTtl, {
      above: 0,
      notAbove: "Please specify integer greater than 0.",
      earliest: MIN_TTL_SECONDS,
      tooEarly: `Expiration TTL must be at least ${MIN_TTL_SECONDS}.`,
    });
  } else if (expiration !== undefined) {
    checkExpiry("expiration", expiration, {
      above: seconds,
      notAbove:
        "Please specify integer greater than the current number of seconds since the UNIX epoch.",
      earliest: seconds + MIN_TTL_SECONDS,
      tooEarly: "Expiration times must be at least 60 seconds in the future.",
    });
  }
  const kept = metadata === undefined ? 0 : bytesOf(JSON.stringify(metadata));
  if (kept > MAX_METADATA_BYTES) {
    throw failure(
      "PUT",
      413,
      `Metadata length of ${kept} exceeds limit of ${MAX_METADATA_BYTES}.`,
    );
  }
  if (bytes.length > MAX_VALUE_BYTES) {
    throw failure(
      "PUT",
      413,
      `Value length of ${bytes.length} exceeds limit of ${MAX_VALUE_BYTES}.`,
    );
  }
}

/** When an entry ends, in seconds since 1970; undefined when never. */
export function expiryOf(options: KvPutOptions, now: number): number | undefined {
  return options.expirationTtl === undefined
    ? options.expiration
    : Math.floor(now / 1000) + options.expirationTtl;
}

function checkExpiry(
  name: string,
  value: number,
  rule: { above: number; notAbove: string; earliest: number; tooEarly: string },
): void {
  if (!Number.isFinite(value) || value <= rule.above) {
    throw failure("PUT", 400, `Invalid ${name} of ${value}. ${rule.notAbove}`);
  }
  if (value < rule.earliest) {
    throw failure("PUT", 400, `Invalid ${name} of ${value}. ${rule.tooEarly}`);
  }
}

function failure(method: string, status: number, message: string): Error {
  return new Error(`KV ${method} failed: ${status} ${message}`);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
