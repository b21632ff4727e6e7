/**
 * Look-ups of leaked passwords by the range protocol of Have I Been Pwned.
 *
 * @module
 */

import { readLimited } from "../lib/body.ts";
import { encodeText, toHex } from "../lib/encoding.ts";

/** Parts of a look-up. */
export interface BreachedLookup {
  /** Makes the call. */
  fetch: typeof fetch;
  /** Milliseconds until it is given up, the body included. Default 1,000. */
  timeout?: number;
}

const RANGES = "https://api.pwnedpasswords.com/range/";
const TIMEOUT = 1000;
// A padded answer has about a thousand lines of forty bytes.
const MAX_BYTES = 1_048_576;
const PREFIX = 5;

/**
 * Asks whether a password is on the list of leaked ones. Only the first five of the forty digits of its SHA-1 leave the
 * server, and the answer is padded, so that neither the service nor whoever watches the line learns which password it
 * is (k-anonymity).
 *
 * @throws {Error} When the service is slow, down, or answers something else.
 */
export async function isBreached(
  password: string,
  { fetch: call, timeout = TIMEOUT }: BreachedLookup,
): Promise<boolean> {
  const digest = await crypto.subtle.digest("SHA-1", encodeText(password.normalize("NFC")));
  const hash = toHex(new Uint8Array(digest)).toUpperCase();
  const controller = new AbortController();
  const late = new Error(`The list of leaked passwords did not answer within ${timeout} ms`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  const { signal } = controller;
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(late), { once: true });
  });
  try {
    return await Promise.race([ask(call, hash, signal), given]);
  } finally {
    clearTimeout(timer);
  }
}

async function ask(call: typeof fetch, hash: string, signal: AbortSignal): Promise<boolean> {
  const response = await call(RANGES + hash.slice(0, PREFIX), {
    headers: { "add-padding": "true", "user-agent": "@framework/auth" },
    redirect: "manual",
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The list of leaked passwords answered with status ${response.status}`);
  }
  const bytes = await readLimited(response, MAX_BYTES);
  if (bytes === null) {
    throw new Error(`The list of leaked passwords answered with more than ${MAX_BYTES} bytes`);
  }
  const lines = new TextDecoder().decode(bytes).toUpperCase().split(/\r?\n/);
  if (!lines.every((line) => line === "" || /^[0-9A-F]{35}:\d+$/.test(line))) {
    throw new Error("The list of leaked passwords answered with something else");
  }
  // Lines of padding have the count 0.
  const line = lines.find((one) => one.startsWith(`${hash.slice(PREFIX)}:`));
  return line !== undefined && !/:0+$/.test(line);
}
