/**
 * The trail of what happened: recording, sealing, list and export.
 *
 * @module
 */

import type { EndpointModule, RequestStore, Settings } from "../core/contracts.ts";
import type { Provider } from "../core/provider.ts";
import { alsoListening } from "../core/report.ts";
import { currentRequest, findRequest } from "../core/request.ts";
import { RequestError } from "../errors.ts";
import { encodeText, toHex } from "../lib/encoding.ts";
import { canonicalAddress } from "../lib/ip_address.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { randomBytes } from "../lib/secret.ts";
import { nameBrowser } from "../pages/device.ts";
import { findActor } from "../session/actor.ts";
import {
  auditGroup,
  type AuditPerson,
  type AuditRecord,
  type AuditSeal,
  type AuditStorage,
} from "../storage/audit.ts";
import { groupOf } from "../storage/storage.ts";
import type { AuthEvent, AuthEvents } from "../types/events.ts";
import { networkOf } from "./activity.ts";

const HOUR = 3_600_000;
const DAY = 86_400_000;
// Clocks of servers differ, and work that a response does not wait for takes its time.
const GRACE = 600_000;
const PAGE = 500;
// Rounds of dropping in an hour: what is left goes in the next one.
const DROPS = 100;
// Behind every id.
const END = "g";

/** Options for {@linkcode auditTrail}. */
export interface AuditTrailOptions {
  /** Days for which entries are kept; `Infinity` drops none, for a database that lets the application only add. Default 400. */
  keep?: number;
  /**
   * Client addresses beside the entries: the whole address, its network as on the account page, or none. Default "network".
   */
  address?: "full" | "network" | "none";
  /** True to keep events about nobody, such as a sign-in to an unknown account, of which strangers can make any number. Default false. */
  strangers?: boolean;
}

/** Personal fields of an entry, while the person has an account. */
export interface AuditPersonFields {
  /** Name of the person at that time; null for none. */
  name: string | null;
  /** Email address of the person at that time; null for none. */
  email: string | null;
  /** Address or network of the client, of who acted; left out where it is not kept or not known. */
  address?: string;
  /** Browser and system in words, of who acted; left out where nobody knows. */
  device?: string;
}

/** An entry of the trail. */
export interface AuditEntry {
  /** Id of the entry. Entries are in its order. */
  id: string;
  /** Time of the event. */
  at: Date;
  /** Type of the event, or "user-disabled", "user-enabled", "roles-changed" or "user-deleted". */
  type: string;
  /** Id of the user whom it is about; null for none. */
  userId: string | null;
  /** Id of the user who acted; null where nobody knows. */
  actorId: string | null;
  /** Further fields of the event, such as `provider`, and `key`, the id of the API key that acted; none is personal. */
  details: Record<string, unknown>;
  /** The user whom it is about; null when the account is gone. */
  user: AuditPersonFields | null;
  /** The user who acted; null when the account is gone, or nobody knows. */
  actor: AuditPersonFields | null;
}

/** Options for {@linkcode auditLog}. */
export interface AuditLogOptions {
  /** Id of the user whom the entries are about. Default: any. */
  user?: string | undefined;
  /** Id of the user who acted. Default: any. */
  actor?: string | undefined;
  /** Type of the entries. Default: any. */
  type?: string | undefined;
  /** Time before which entries are left out. Default: none is. */
  since?: Date | undefined;
  /** Place from which the list goes on, as the page before said it. Default: from the newest. */
  after?: string | null | undefined;
  /** Maximum number of entries, 1 to 500. Default 50. */
  limit?: number | undefined;
}

/** A page of the trail. */
export interface AuditLog {
  /** Entries, the newest first. */
  entries: AuditEntry[];
  /** Place from which the next page goes on; null at the end. */
  after: string | null;
}

async function digestOf(text: string): Promise<string> {
  return toHex(
    new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(text) as BufferSource)),
  );
}

/** Beginning of the ids of a time. */
function idFrom(time: number): string {
  return Math.max(0, time).toString(16).padStart(12, "0");
}

function storageOf({ storage }: Pick<Settings, "storage">): AuditStorage {
  return groupOf(storage, auditGroup);
}

/** The event to record. */
interface Happening {
  type: string;
  at: number;
  userId?: string | undefined;
  actorId?: string | undefined;
  address?: string | null | undefined;
  details: Record<string, unknown>;
}

async function actorOf(
  store: RequestStore | undefined,
  { actorId, userId, type }: Happening,
): Promise<string | null> {
  if (actorId !== undefined) return actorId;
  if (store === undefined) return null;
  const actor = findActor(store);
  if (actor?.kind === "administrator") return actor.id;
  // A sign-in is its user's, whoever was signed in before.
  if (type === "sign-in") return userId ?? null;
  const state = await store.auth.load().catch(() => null);
  if (state?.status === "valid") return state.session.user.id;
  // Who has just signed out, or proves who they are by a mail, has no session.
  return type === "sign-out" ? userId ?? null : null;
}

async function makeEntry(
  settings: Settings,
  options: Required<AuditTrailOptions>,
  happening: Happening,
): Promise<AuditRecord> {
  const store = findRequest();
  const { at, type, userId = null } = happening;
  const actor = store === undefined ? null : findActor(store);
  // Not the owner alone: of several keys one did it.
  const details = actor?.kind === "key"
    ? { ...happening.details, key: actor.id }
    : happening.details;
  const actorId = await actorOf(store, happening);
  const id = idFrom(at) + toHex(randomBytes(10));

  async function personOf(part: AuditPerson["part"], id: string): Promise<AuditPerson | null> {
    const user = await settings.storage.getUser(id);
    if (user === null) return null;
    const isActor = id === actorId;
    const whole = canonicalAddress(happening.address ?? store?.address() ?? "");
    const address = options.address === "full"
      ? whole
      : options.address === "network"
      ? networkOf(whole)
      : null;
    const device = nameBrowser(store?.request.headers.get("user-agent") ?? null);
    const fields: AuditPersonFields = {
      name: user.name ?? null,
      email: user.email ?? null,
      ...isActor && address !== null && { address },
      ...isActor && device !== null && { device },
    };
    return { part, userId: id, salt: toHex(randomBytes(16)), text: JSON.stringify(fields) };
  }

  const people = (await Promise.all([
    userId === null ? null : personOf("user", userId),
    actorId === null || actorId === userId ? null : personOf("actor", actorId),
  ])).filter((person) => person !== null);
  const digests = await Promise.all(
    people.map(async ({ part, salt, text }) => [part, await digestOf(salt + text)]),
  );
  const text = JSON.stringify({
    id,
    at: new Date(at).toISOString(),
    type,
    userId,
    actorId,
    details,
    personal: Object.fromEntries(digests),
  });
  return { id, at, type, userId, actorId, text, people };
}

// Stored with the change itself, see `trail`; and what the trail says of itself.
const RECORDED: ReadonlySet<string> = new Set([
  "audit-sealed",
  "user-disabled",
  "user-enabled",
  "user-deleted",
  "roles-changed",
]);
const ADMINISTERED: ReadonlySet<string> = new Set([
  "disabled",
  "enabled",
  "roles-changed",
  "deleted",
]);

function isRecorded(event: AuthEvent): boolean {
  return RECORDED.has(event.type) ||
    event.type === "user-administered" && ADMINISTERED.has(event.action);
}

function readOptions(options: unknown): Required<AuditTrailOptions> {
  if (!isOptions(options)) throw wrongOption("auditTrail()", options, "an object");
  checkKeys(options, ["keep", "address", "strangers"], "auditTrail()");
  const { keep = 400, address = "network", strangers = false } = options as AuditTrailOptions;
  if (keep !== Infinity && !Number.isInteger(keep) || keep < 1) {
    throw wrongOption("keep", keep, "a number of days, or Infinity");
  }
  if (!["full", "network", "none"].includes(address)) {
    throw wrongOption("address", address, '"full", "network" or "none"');
  }
  if (typeof strangers !== "boolean") throw wrongOption("strangers", strangers, "true or false");
  return { keep, address, strangers };
}

/**
 * Records what happens in a trail: every event about a user, with who acted, and changes of users in the same transaction as
 * the change. {@linkcode auditLog} lists it, {@linkcode exportAuditLog} writes it down. Each hour is sealed by a digest that holds
 * the one before, so that a changed or missing entry is found; the digest of a day is an event `audit-sealed`, to be kept where the
 * database's owner cannot reach it. What is personal stands beside an entry, and goes with the person. The download of the
 * account page has the newest 500 entries about its owner.
 *
 * It stands among the providers, and needs a database. Applications that do not import it do not bundle it.
 *
 * @param options How long entries are kept, and what of the client. Default: 400 days, the network.
 * @throws {ConfigurationError} When an option is wrong, or there is no database.
 *
 * @example
 * ```ts
 * import { auditLog, auditTrail, createAuth, createMemoryStorage, createUser, disableUser } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), providers: [auditTrail()] });
 * const request = new Request("http://localhost/", { method: "POST" });
 * const background: Promise<unknown>[] = [];
 * const waitUntil = (work: Promise<unknown>) => void background.push(work);
 * await auth.run(request, {}, { waitUntil }, async () => {
 *   await createUser({ id: "ada", name: "Ada" });
 *   await disableUser("ada");
 *   const { entries } = await auditLog({ user: "ada", type: "user-disabled" });
 *   deepEqual(entries.map(({ userId, user }) => [userId, user?.name]), [["ada", "Ada"]]);
 *   return new Response();
 * });
 * await Promise.all(background);
 * ```
 */
export function auditTrail(options: AuditTrailOptions = {}): Provider {
  const checked = readOptions(options);
  const definition: EndpointModule = {
    id: "audit",
    endpoints: () => [],
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption("database", undefined, "a database, which the trail needs");
      }
      // Says at once when the storage cannot keep it.
      storageOf(settings);
    },
    async trail(store, { type, userId, ...details }) {
      const { settings } = store.auth;
      const happening = { type, userId, details, at: settings.now() };
      return storageOf(settings).prepareEntry(await makeEntry(settings, checked, happening));
    },
    listen: (settings) => withTrail(settings, checked),
    accountData: exportTrail,
  };
  return { kind: "provider", definition };
}

/**
 * The newest entries about the user of a request, for the copy of what is stored about them. Somebody else who acted is not
 * named: that is theirs.
 */
async function exportTrail({ auth }: RequestStore): Promise<Record<string, unknown>> {
  const state = await auth.load();
  if (state.status !== "valid") return {};
  const { id } = state.session.user;
  const { entries } = await auditLog({ user: id, limit: 500 });
  return {
    trail: entries.map((
      { at, type, details: { invitedBy: _, ...details }, user, actorId, actor },
    ) => ({
      at,
      type,
      details,
      ...user,
      ...actorId === id && actor,
    })),
  };
}

/** Listeners of an application, and one that stores the trail. */
function withTrail(settings: Settings, options: Required<AuditTrailOptions>): AuthEvents {
  let sealedUntil = 0;

  async function store(event: AuthEvent): Promise<void> {
    if (isRecorded(event) || event.userId === undefined && !options.strangers) return;
    const { type, at, userId, address, ...rest } = event;
    const { actorId, ...details } = rest as Record<string, unknown> & { actorId?: string };
    await storageOf(settings).insertEntry(
      await makeEntry(settings, options, {
        type,
        at: at.getTime(),
        userId,
        actorId,
        address,
        details,
      }),
    );
    // Once an hour in each process, and not at each event.
    const hour = lastClosed(settings.now());
    const running = findRequest();
    if (hour <= sealedUntil || running === undefined) return;
    sealedUntil = hour;
    await seal(running, options.keep);
  }

  return alsoListening(settings.events, store);
}

/** Beginning of the hour that is not closed yet. */
function lastClosed(now: number): number {
  return Math.floor((now - GRACE) / HOUR) * HOUR;
}

/** Reads all entries between two times, page by page. */
async function* entriesBetween(
  storage: AuditStorage,
  from: number,
  to: number,
): AsyncGenerator<AuditRecord> {
  let next = idFrom(from);
  for (;;) {
    const entries = await storage.listEntries({
      from: next,
      to: idFrom(to),
      order: "oldest",
      limit: PAGE,
    });
    yield* entries;
    if (entries.length === 0) return;
    // The smallest text behind an id.
    next = entries.at(-1)!.id + "0";
  }
}

/** Digest of a seal. */
function sealDigest(
  { previous, hour, count, entries }: Omit<AuditSeal, "digest">,
): Promise<string> {
  return digestOf(`${previous}\n${hour}\n${count}\n${entries}\n`);
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Seals each closed hour that has entries, in order, and drops what is too old. */
async function seal(store: RequestStore, keep: number): Promise<number> {
  const { settings } = store.auth;
  const storage = storageOf(settings);
  const now = settings.now();
  const closed = lastClosed(now);
  let last = await storage.lastSeal();
  let sealed = 0;
  for (;;) {
    const from = last === null ? 0 : last.hour + HOUR;
    const [first] = await storage.listEntries({
      from: idFrom(from),
      to: idFrom(Math.max(from, closed)),
      order: "oldest",
      limit: 1,
    });
    // A day is over when a later hour begins, with or without an entry.
    const hour = first === undefined ? null : Math.floor(first.at / HOUR) * HOUR;
    if (hour === null) break;
    let text = "";
    let count = 0;
    for await (const entry of entriesBetween(storage, hour, hour + HOUR)) {
      text += `${entry.text}\n`;
      count++;
    }
    const body = { hour, count, entries: await digestOf(text), previous: last?.digest ?? "" };
    const made: AuditSeal = { ...body, digest: await sealDigest(body) };
    const isOurs = await storage.putSeal(made);
    // Of several that seal at once each day is told by the one who begins the next.
    if (isOurs) {
      sealed++;
      if (last !== null && dayOf(last.hour) !== dayOf(hour)) {
        store.report({ type: "audit-sealed", day: dayOf(last.hour), digest: last.digest });
      }
      last = made;
    } else last = await storage.lastSeal();
  }
  if (keep !== Infinity) {
    const before = Math.floor((now - keep * DAY) / HOUR) * HOUR;
    const old = { id: idFrom(before), hour: before - 1 };
    for (let round = 0; round < DROPS; round++) {
      if (await storage.dropEntries(old, PAGE) < PAGE) break;
    }
  }
  return sealed;
}

/**
 * Seals the hours of the trail that are over, ten minutes after their end. The trail does it by itself as long as events come;
 * call it from a timer to have each hour sealed soon.
 *
 * @returns Number of hours that were sealed.
 * @throws {ConfigurationError} When the storage has no group `audit`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { auditTrail, createAuth, createMemoryStorage, sealAuditLog } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), providers: [auditTrail()] });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   equal(await sealAuditLog(), 0);
 *   return new Response();
 * });
 * ```
 */
export async function sealAuditLog(): Promise<number> {
  return await seal(currentRequest("sealAuditLog"), Infinity);
}

function readPerson(
  people: readonly AuditPerson[],
  part: AuditPerson["part"],
): AuditPersonFields | null {
  const person = people.find((one) => one.part === part);
  return person ? JSON.parse(person.text) : null;
}

function readEntry({ id, at, type, userId, actorId, text, people }: AuditRecord): AuditEntry {
  const user = readPerson(people, "user");
  return {
    id,
    at: new Date(at),
    type,
    userId,
    actorId,
    details: JSON.parse(text).details,
    user,
    actor: actorId !== null && actorId === userId ? user : readPerson(people, "actor"),
  };
}

/**
 * Lists the trail, the newest entries first, by an index: of a user, of who acted, of a type, or all. Who asks is not checked:
 * ask {@linkcode requirePermission} before.
 *
 * @param options User, actor, type, time, and the page. Default: the 50 newest entries.
 * @throws {RequestError} When `after` is no place in the trail.
 * @throws {ConfigurationError} When an option is wrong, or the storage has no group `audit`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { auditLog, auditTrail, createAuth, createMemoryStorage } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), providers: [auditTrail()] });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   deepEqual(await auditLog({ actor: "ada" }), { entries: [], after: null });
 *   return new Response();
 * });
 * ```
 */
export async function auditLog(options: AuditLogOptions = {}): Promise<AuditLog> {
  const { auth } = currentRequest("auditLog");
  const given: unknown = options;
  if (!isOptions(given)) throw wrongOption("auditLog()", given, "an object");
  checkKeys(given, ["user", "actor", "type", "since", "after", "limit"], "auditLog()");
  const { user: userId, actor: actorId, type, since, after, limit = 50 } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw wrongOption("limit", limit, "a number from 1 to 500");
  }
  if (since !== undefined && !(since instanceof Date && Number.isFinite(since.getTime()))) {
    throw wrongOption("since", since, "a valid Date");
  }
  if (after != null && !/^[0-9a-f]{32}$/.test(after)) {
    throw new RequestError("The place of this list is not valid");
  }
  const found = await storageOf(auth.settings).listEntries({
    from: since === undefined ? "" : idFrom(since.getTime()),
    to: after ?? END,
    userId,
    actorId,
    type,
    order: "newest",
    limit: limit + 1,
  });
  const entries = found.slice(0, limit).map(readEntry);
  return { entries, after: found.length > limit ? entries.at(-1)!.id : null };
}

/**
 * Writes the trail down as JSON lines, the oldest first, piece by piece: each entry as the text that is sealed, with what is
 * personal beside it, and after the entries of an hour its seal. `jq` and `sha256sum` verify it, see docs/administration.md. Who asks
 * is not checked: ask {@linkcode requirePermission} before.
 *
 * @param options `since` and `until`: times from which and before which hours are written. Default: all that is kept.
 * @throws {ConfigurationError} When the storage has no group `audit`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { auditTrail, createAuth, createMemoryStorage, exportAuditLog } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), providers: [auditTrail()] });
 * const response = await auth.run(new Request("http://localhost/"), {}, undefined, () =>
 *   new Response(exportAuditLog(), { headers: { "content-type": "application/jsonl" } }));
 * equal(await response.text(), "");
 * ```
 */
export function exportAuditLog(
  options: { since?: Date; until?: Date } = {},
): ReadableStream<Uint8Array> {
  const { auth: { settings } } = currentRequest("exportAuditLog");
  const storage = storageOf(settings);
  const from = Math.floor((options.since?.getTime() ?? 0) / HOUR) * HOUR;
  const to = options.until?.getTime() ?? settings.now() + DAY;

  async function* lines(): AsyncGenerator<string> {
    // Whatever is before the first seal is about to be dropped, and no chain holds it any more.
    const [first] = await storage.listSeals(0, 1);
    let hour = Math.max(from, first?.hour ?? 0);
    while (hour < to) {
      const [seal] = await storage.listSeals(hour, 1);
      const end = seal === undefined || seal.hour >= to ? to : seal.hour + HOUR;
      for await (const entry of entriesBetween(storage, hour, Math.min(end, to))) {
        const people = entry.people.map(({ part, salt, text }) => ({ part, salt, text }));
        const own = Math.floor(entry.at / HOUR) * HOUR;
        yield JSON.stringify({ kind: "entry", hour: own, entry: entry.text, people });
      }
      if (seal === undefined || seal.hour >= to) return;
      yield JSON.stringify({ kind: "seal", ...seal });
      hour = end;
    }
  }

  const all = lines();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await all.next();
      if (done) controller.close();
      else controller.enqueue(encodeText(`${value}\n`));
    },
    async cancel() {
      await all.return(undefined);
    },
  });
}
