/**
 * The list of all users, for administrators.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";
import { currentRequest } from "../core/request.ts";
import { RequestError } from "../errors.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { fromBase64UrlText, isStorable, toBase64Url } from "../lib/encoding.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { userHasRole } from "../rbac/permissions.ts";
import {
  type DirectoryEntry,
  directoryGroup,
  type DirectoryRange,
  foldName,
  nameForms,
} from "../storage/directory.ts";
import { groupOf } from "../storage/storage.ts";
import type { User } from "../types/user.ts";

/** A user as an administrator sees one in a list. */
export interface ListedUser<AppUser extends User = User> {
  /** The user as stored. */
  user: AppUser;
  /** Time at which the user was made. */
  createdAt: Date;
  /** Time at which the user was disabled; null for one who can sign in. */
  disabledAt: Date | null;
}

/** Options for {@linkcode listUsers}. */
export interface ListUsersOptions {
  /**
   * Id of a user, or the beginning of an address or of a name. Capitals do not matter. Nothing is found in the middle of a
   * text, and accents count. Default: everybody.
   */
  search?: string | undefined;
  /** Role that the users have themselves, in `role` or among `roles`. Default: any. */
  role?: string | undefined;
  /** Place from which the list goes on, as the page before said it. Default: from the beginning. */
  after?: string | null | undefined;
  /** Maximum number of users, 1 to 100. Default 25. */
  limit?: number | undefined;
}

/** A page of the list of users. */
export interface UserList<AppUser extends User = User> {
  /** Users of the page. It may be shorter than `limit` before the end, where many were looked at who do not match. */
  users: ListedUser<AppUser>[];
  /** Place from which the next page goes on; null at the end. */
  after: string | null;
}

const MAX_SEARCH = 256;
const MAX_LIMIT = 100;
// Each reads as many entries as a page has: a list ends soon also for a role that nobody found by a name has.
const MAX_READS = 20;

/** The place in a list: the range, and its last entry. */
type Place = [range: number, ...key: (string | number)[]];

function invalid(name: string): RequestError {
  return new RequestError(`The ${name} of this list is not valid`);
}

function writePlace(place: Place): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(place)));
}

function readPlace(after: string, ranges: readonly DirectoryRange["by"][]): Place {
  let place: unknown;
  try {
    place = JSON.parse(fromBase64UrlText(after) ?? "");
  } catch {
    throw invalid("place");
  }
  const [range, ...key] = Array.isArray(place) ? place : [];
  const by = Number.isInteger(range) ? ranges[range] : undefined;
  const types = by === "creation"
    ? ["number", "string"]
    : by === "name"
    ? ["string", "string"]
    : ["string"];
  const holds = by !== undefined && (key.length === 0 || key.length === types.length) &&
    key.every((one, index) =>
      typeof one === types[index] &&
      (typeof one === "number" ? Number.isSafeInteger(one) : isStorable(one, 4 * MAX_SEARCH))
    );
  if (!holds) throw invalid("place");
  return place as Place;
}

/** Key of an entry in a range, for {@linkcode Place}. */
function keyOf(by: DirectoryRange["by"], entry: DirectoryEntry): (string | number)[] {
  const { user: { id, name }, createdAt, emailIdentity } = entry;
  switch (by) {
    case "creation":
      return [createdAt, id];
    case "role":
      return [id];
    case "address":
      return [emailIdentity!];
    case "name":
      return [foldName(name!), id];
  }
}

function rangeFrom(range: DirectoryRange, key: (string | number)[]): DirectoryRange {
  if (key.length === 0) return range;
  const [first, second] = key as [string, string];
  switch (range.by) {
    case "creation":
      return { ...range, after: { createdAt: key[0] as number, id: second } };
    case "name":
      return { ...range, after: { name: first, id: second } };
    default:
      return { ...range, after: first };
  }
}

function rangesOf(search: string, role: string | undefined): DirectoryRange[] {
  if (search === "") {
    return [
      role === undefined ? { by: "creation", after: null } : { by: "role", role, after: "" },
    ];
  }
  const typed = search.normalize("NFKC").toLowerCase();
  const addresses = new Set([parseEmailAddress(search)?.identity ?? typed]);
  return [
    ...[...addresses].map((prefix): DirectoryRange => ({ by: "address", prefix, after: "" })),
    ...nameForms(search).map((prefix): DirectoryRange => ({ by: "name", prefix, after: null })),
  ];
}

function isInRange(range: DirectoryRange, { user, emailIdentity }: DirectoryEntry): boolean {
  if (range.by === "address") return emailIdentity?.startsWith(range.prefix) ?? false;
  if (range.by === "name") return user.name != null && foldName(user.name).startsWith(range.prefix);
  return false;
}

function readOptions(
  options: ListUsersOptions,
): ListUsersOptions & { search: string; limit: number } {
  const given: unknown = options;
  if (!isOptions(given)) throw wrongOption("listUsers()", given, "an object");
  checkKeys(given, ["search", "role", "after", "limit"], "listUsers()");
  const { search = "", role, after, limit = 25 } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw wrongOption("limit", limit, `a number from 1 to ${MAX_LIMIT}`);
  }
  for (const [name, text] of Object.entries({ search, role: role ?? "", place: after ?? "" })) {
    if (typeof text !== "string" || !isStorable(text, 8 * MAX_SEARCH)) throw invalid(name);
  }
  if (search.length > MAX_SEARCH) throw invalid("search");
  return { search: search.trim(), role, after, limit };
}

/** As {@linkcode listUsers}, for an endpoint. */
export async function listAllUsers(
  { storage }: Pick<Settings, "storage">,
  options: ListUsersOptions,
): Promise<UserList> {
  const { search, role, after, limit } = readOptions(options);
  const directory = groupOf(storage, directoryGroup);
  const ranges = rangesOf(search, role);
  let [index, ...key] = after == null ? [0] : readPlace(after, ranges.map(({ by }) => by));

  function matches(entry: DirectoryEntry): boolean {
    // Of before: the exact id comes first, and each range leaves out what an earlier one has.
    if (search !== "" && entry.user.id === search) return false;
    if (ranges.slice(0, index).some((range) => isInRange(range, entry))) return false;
    // Also where the table of roles is older than the row.
    return role === undefined || userHasRole(entry.user, role);
  }

  // The next one after the page tells if there is another page.
  const found: { entry: DirectoryEntry; place: Place }[] = [];
  if (search !== "" && after == null) {
    const entry = await directory.describeUser(search);
    if (entry !== null && (role === undefined || userHasRole(entry.user, role))) {
      found.push({ entry, place: [0] });
    }
  }
  let reads = 0;
  while (index < ranges.length && found.length <= limit && reads < MAX_READS) {
    const range = ranges[index]!;
    const entries = await directory.pageUsers(rangeFrom(range, key), limit + 1);
    reads++;
    for (const entry of entries) {
      key = keyOf(range.by, entry);
      if (matches(entry)) found.push({ entry, place: [index, ...key] });
      if (found.length > limit) break;
    }
    if (entries.length === 0) {
      index++;
      key = [];
    }
  }
  const shown = found.slice(0, limit);
  const place: Place | null = found.length > limit
    ? shown.at(-1)!.place
    : index < ranges.length
    ? [index, ...key]
    : null;
  return {
    users: shown.map(({ entry: { user, createdAt, disabledAt } }) => ({
      user,
      createdAt: new Date(createdAt),
      disabledAt: disabledAt === null ? null : new Date(disabledAt),
    })),
    after: place && writePlace(place),
  };
}

/**
 * Lists users, also disabled ones, page by page: everybody, the newest first; those who have a role; or those who are found
 * by their id, or by the beginning of an address or a name. It reads by an index, however many users there are, and so
 * counts nobody. Who asks is not checked: ask {@linkcode requirePermission} before.
 *
 * @param options Search, role, and the page. Default: the 25 newest users.
 * @throws {RequestError} When `after`, `search` or `role` is no text that a list can have.
 * @throws {ConfigurationError} When an option is wrong, or the storage has no group `directory`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, listUsers } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   await createUser({ email: "ada@example.com", name: "Ada" });
 *   await createUser({ email: "bob@example.com", name: "Bob" });
 *   const { users, after } = await listUsers({ search: "ad" });
 *   deepEqual([users.map(({ user }) => user.name), after], [["Ada"], null]);
 *   return new Response();
 * });
 * ```
 */
export async function listUsers<AppUser extends User = User>(
  options: ListUsersOptions = {},
): Promise<UserList<AppUser>> {
  const { auth } = currentRequest("listUsers");
  return await listAllUsers(auth.settings, options) as UserList<AppUser>;
}
