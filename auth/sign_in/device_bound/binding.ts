/**
 * The binding of a session to a device, as the text that its row has.
 *
 * @module
 */

/** Public key of a device, on P-256 (RFC 7518, 6.2.1). */
export interface DeviceKey {
  /** Its coordinates, base64url. */
  x: string;
  y: string;
}

/** Hash of a short cookie, and when that ends. */
export type ShortCookie = readonly [hash: string, end: number];

/** Binding of a session. Times are milliseconds since 1970. */
export interface Binding {
  /** The newest two short cookies: refreshes overlap. */
  cookies: readonly ShortCookie[];
  /** Time of the newest challenge that was answered: no older one is accepted again. */
  provedAt: number;
  /** Number of proofs that were wrong. */
  wrong: number;
  /** Secret that challenges are made with. No browser ever has it. */
  secret: string;
  /** Key of the device; null for a session that is not bound. */
  key: DeviceKey | null;
}

const NONE: ShortCookie = ["", 0];
const PARTS = 9;

/** Writes a binding. No part has a dot. */
export function writeBinding({ cookies, provedAt, wrong, secret, key }: Binding): string {
  const [newest = NONE, before = NONE] = cookies;
  const { x, y } = key ?? { x: "", y: "" };
  return [...newest, ...before, provedAt, wrong, secret, x, y].join(".");
}

/** Reads a binding; null for what is none. */
export function readBinding(text: string | null): Binding | null {
  const parts = text?.split(".");
  if (parts?.length !== PARTS) return null;
  const [hash, end, hashBefore, endBefore, provedAt, wrong, secret, x, y] = parts as string[];
  return {
    cookies: [[hash!, Number(end)], [hashBefore!, Number(endBefore)]],
    provedAt: Number(provedAt),
    wrong: Number(wrong),
    secret: secret!,
    key: x === "" ? null : { x: x!, y: y! },
  };
}

/** True for the text of a session that counts without a device. Whatever cannot be read is bound, and nothing opens it. */
export function isUnbound(text: string | null): boolean {
  if (text === null) return true;
  const parts = text.split(".");
  return parts.length === PARTS && parts[7] === "";
}

/** True when a short cookie of this hash opens the session now: a session without a key has none. */
export function opens(text: string, hash: string, now: number): boolean {
  // The newest is compared where it stands: that is what nearly every request brings.
  if (text.startsWith(hash) && text[hash.length] === ".") {
    return isAhead(text.slice(hash.length + 1, text.indexOf(".", hash.length + 1)), now);
  }
  const [, , before, end] = text.split(".", 4);
  return hash === before && isAhead(end, now);
}

// Written so that an end which is no number is over.
function isAhead(end: string | undefined, now: number): boolean {
  return Number(end) > now;
}

// No hash is this text.
const GRACE = "*";

/**
 * The end of the time in which requests count that were sent before the registration was answered. It stands in the place
 * of the second short cookie, which the first refresh takes.
 */
export function graceUntil(end: number): ShortCookie {
  return [GRACE, end];
}

/** True while requests without a short cookie still count. */
export function isInGrace(text: string, now: number): boolean {
  return opens(text, GRACE, now);
}
