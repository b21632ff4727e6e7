// One label of a host name (RFC 1035, 2.3.1). What begins with "xn--" reads as other letters than it has.
const SLUG = /^(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * True for what can be the slug of a tenant: a label of a host name (RFC 1035, 2.3.1) in lower
 * case, 1 to 63 letters,
 * digits and hyphens, which neither begins nor ends with a hyphen, nor begins with "xn--" (RFC
 * 5890, 2.3.1). Nothing is
 * folded: every other spelling is none.
 *
 * @param value Anything, such as what a form sent.
 *
 * @example
 * ```ts
 * import { isSlug } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * equal(isSlug("acme-2"), true);
 * equal(isSlug("Acme"), false);
 * equal(isSlug("xn--80ak6aa92e"), false);
 * ```
 */
export function isSlug(value: unknown): value is string {
  return typeof value === "string" && SLUG.test(value);
}

/** True for what can be the id of a tenant. */
export function isTenantId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}
