/**
 * Records of tenants and members, checked.
 *
 * @module
 */

import { InvalidTenantError, TenantExistsError } from "../errors.ts";
import { isStorable } from "../lib/encoding.ts";
import { wrongOption } from "../lib/options.ts";
import type { ListOptions, NewTenant, Tenant, TenantChanges } from "../types/tenant.ts";

const MAX_NAME = 200;
// Far below what a row of D1 holds (2 MB), and what anybody should read with every request.
const MAX_SETTINGS = 100_000;

function checkSlug(slug: unknown): string {
  if (isSlug(slug)) return slug;
  throw new InvalidTenantError(
    "A slug has 1 to 63 lower-case letters, digits or hyphens, and no hyphen at its ends",
  );
}

function checkName(name: unknown): string {
  if (typeof name === "string" && name.trim() !== "" && isStorable(name, MAX_NAME)) return name;
  throw new InvalidTenantError(
    `A name has 1 to ${MAX_NAME} characters, none of them a control character`,
  );
}

function checkSettings(settings: unknown): Record<string, unknown> {
  if (typeof settings === "object" && settings !== null && !Array.isArray(settings)) {
    const text = writeSettings(settings as Record<string, unknown>);
    // As they will be read again; what JSON cannot hold shows here, not later.
    if (text.length <= MAX_SETTINGS) return JSON.parse(text);
  }
  throw new InvalidTenantError(
    `Settings are an object of at most ${MAX_SETTINGS} characters as JSON`,
  );
}

function checkTime(time: unknown): Date {
  if (time instanceof Date && !Number.isNaN(time.getTime())) return new Date(time);
  throw new InvalidTenantError("A time is a Date");
}

/** Settings as they are stored. */
export function writeSettings(settings: Record<string, unknown> | undefined): string {
  try {
    return JSON.stringify(settings ?? {});
  } catch (cause) {
    throw new InvalidTenantError("Settings hold only what JSON can", { cause });
  }
}

/** Settings as they were stored; undefined for none, null for what are none. */
export function readSettings(text: unknown): Record<string, unknown> | undefined | null {
  if (text === "{}" || text === null || text === undefined) return undefined;
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : null;
  } catch {
    return null;
  }
}

/** The tenant that is to be stored, checked. Fields that a tenant does not have are left behind. */
export function createTenantRecord(tenant: NewTenant, now: number): Tenant {
  const { id = crypto.randomUUID(), slug, name, settings, createdAt, updatedAt } = tenant;
  if (!isTenantId(id)) {
    throw new InvalidTenantError("An id has 1 to 64 letters, digits, hyphens or underscores");
  }
  const made = createdAt === undefined ? new Date(now) : checkTime(createdAt);
  return {
    id,
    slug: checkSlug(slug),
    name: checkName(name),
    ...(settings !== undefined && { settings: checkSettings(settings) }),
    createdAt: made,
    updatedAt: updatedAt === undefined ? made : checkTime(updatedAt),
  };
}

/** The tenant as it is after the changes, checked. */
export function changeTenant(tenant: Tenant, changes: TenantChanges, now: number): Tenant {
  const { slug, name, settings, suspended } = changes;
  const { suspendedAt, ...rest } = tenant;
  const since = suspended === undefined
    ? suspendedAt
    : suspended
    ? suspendedAt ?? new Date(now)
    : undefined;
  return {
    ...rest,
    ...(slug !== undefined && { slug: checkSlug(slug) }),
    ...(name !== undefined && { name: checkName(name) }),
    ...(settings !== undefined && { settings: checkSettings(settings) }),
    updatedAt: new Date(now),
    ...(since !== undefined && { suspendedAt: since }),
  };
}

/**
 * The header and the cookie name a tenant by slug or by id, so one tenant's slug must not be another's id.
 *
 * @throws {TenantExistsError} When one is.
 */
export function assertUnlike(tenant: Tenant, others: readonly (Tenant | null)[]): void {
  if (others.some((other) => other !== null && other.id !== tenant.id)) {
    throw new TenantExistsError();
  }
}

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

/** Checks which part of a list is wanted. */
export function readListOptions(options: ListOptions = {}): { cursor: string; limit: number } {
  const { cursor = "", limit = 50 } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw wrongOption("limit", limit, "a whole number from 1 to 100");
  }
  if (typeof cursor !== "string") throw wrongOption("cursor", cursor, "what the last part gave");
  return { cursor, limit };
}

/** Checks the roles of a member; each counts once. */
export function readRoles(roles: unknown): string[] {
  const isList = Array.isArray(roles) && roles.length <= 100 &&
    roles.every((role) => typeof role === "string" && role !== "" && role.length <= 100);
  if (!isList) throw wrongOption("roles", roles, "a list of at most 100 role ids");
  return [...new Set<string>(roles)];
}
