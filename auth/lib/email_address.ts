/**
 * Email addresses, and identifiers that may be one.
 *
 * @module
 */

import { encodeText } from "./encoding.ts";
import { isHostName } from "./ip_address.ts";

/** An email address in its two forms. */
export interface EmailAddress {
  /** Address as typed, for sending to. */
  address: string;
  /**
   * Canonical form that identifies the mailbox: lower case, the domain as A-labels. Two accounts
   * never share it.
   */
  identity: string;
}

// RFC 5321, 4.5.3.1: 64 octets of local part, 254 of path.
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;
// RFC 5322 dot-atom. No quotes, brackets, commas or blanks: mailers read those in more than one way
// (GHSA-5jpx-9hw9-2fx4, CVE-2022-35924).
const LOCAL = /^[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*$/;

/** A dot-atom, in which letters, marks and numbers beyond ASCII count as letters (RFC 6531). */
function isLocal(text: string): boolean {
  if (LOCAL.test(text)) return true;
  // No literal: its sets would be made when the program is read, for more than a millisecond of a worker's start.
  const letter = new RegExp("[\\p{L}\\p{M}\\p{N}]", "gu");
  return LOCAL.test(text.replace(letter, "a"));
}

function asciiDomain(domain: string): string | null {
  // The URL parser is the platform's own IDNA implementation; these characters would end the host early.
  if (/[/\\?#:@\[\]%\s]/.test(domain)) return null;
  const url = `http://${domain}/`;
  const host = URL.canParse(url) ? new URL(url).hostname : null;
  return isHostName(host) ? host : null;
}

/**
 * Reads an email address the one way in which this library identifies mailboxes: Unicode NFKC first,
 * then the check (one `@`, no quoted local part, no list), then lower case and an A-label domain.
 *
 * @param input What the person typed.
 * @returns Both forms, or null when it cannot be an address.
 *
 * @example
 * ```ts
 * import { parseEmailAddress } from "@framework/auth";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * deepEqual(parseEmailAddress("Ada@Bücher.example"), {
 *   address: "Ada@Bücher.example",
 *   identity: "ada@xn--bcher-kva.example",
 * });
 * equal(parseEmailAddress("a@x.example,b@y.example"), null);
 * ```
 */
export function parseEmailAddress(input: string): EmailAddress | null {
  if (typeof input !== "string" || input.length > 4 * MAX_ADDRESS) return null;
  // Before the check: a full-width at sign becomes an ordinary one here (GHSA-7rqj-j65f-68wh).
  const address = input.normalize("NFKC").trim();
  const at = address.indexOf("@");
  if (at < 1 || at !== address.lastIndexOf("@")) return null;
  const local = address.slice(0, at);
  if (encodeText(local).length > MAX_LOCAL || !isLocal(local)) return null;
  const domain = asciiDomain(address.slice(at + 1));
  if (domain === null) return null;
  const identity = `${local.toLowerCase().normalize("NFKC")}@${domain}`;
  if (encodeText(address).length > MAX_ADDRESS || identity.length > MAX_ADDRESS) {
    return null;
  }
  return { address, identity };
}

/** One text for the spellings of one identifier: the mailbox of an address, else without case and width. */
export function canonicalIdentifier(identifier: string): string {
  return parseEmailAddress(identifier)?.identity ??
    identifier.normalize("NFKC").trim().toLowerCase();
}
