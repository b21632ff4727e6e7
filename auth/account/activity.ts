/**
 * Activity of an account: recording, list, section of the page.
 *
 * @module
 */

import type { AccountSection, Look, RequestStore, Settings } from "../core/contracts.ts";
import { alsoListening } from "../core/report.ts";
import { findRequest } from "../core/request.ts";
import { toHex } from "../lib/encoding.ts";
import { type Html, markup } from "../lib/html.ts";
import { addressBits, canonicalAddress } from "../lib/ip_address.ts";
import { randomBytes } from "../lib/secret.ts";
import { isActedFor, moment, say, sayOwn } from "../pages/frame.ts";
import { icon, link, row, rows } from "../pages/parts.ts";
import type { PageText } from "../pages/texts.ts";
import { activityGroup, type ActivityRecord } from "../storage/activity.ts";
import { groupOf } from "../storage/storage.ts";
import type { AuthEvent, AuthEvents } from "../types/events.ts";
import { describeDevice, nameBrowser } from "../pages/device.ts";
import type { AccountView } from "./sections.ts";

/** Retention of entries in milliseconds: 90 days. */
export const MAX_AGE = 7_776_000_000;
/** Maximum number of entries per user. */
export const KEPT = 50;

/**
 * Events that the owner of an account sees. Refused sign-ins are left out: anyone could flood the
 * list with them and push out what matters.
 */
const SHOWN: ReadonlySet<AuthEvent["type"]> = new Set([
  "sign-up",
  "sign-in",
  "sign-out",
  "session-revoked",
  "email-verified",
  "email-changed",
  "account-linked",
  "account-unlinked",
  "passkey-added",
  "passkey-removed",
  "password-changed",
  "replay-detected",
  "second-factor-added",
  "second-factor-removed",
  "second-factor-closed",
  "recovery-code-used",
  "api-key-added",
  "api-key-rotated",
  "api-key-removed",
  "user-administered",
  "impersonation-started",
  "impersonation-ended",
  "second-factor-recovery-requested",
  "second-factor-recovery-cancelled",
]);

/** Events that another person can cause on an account. */
const BY_OTHERS: ReadonlySet<AuthEvent["type"]> = new Set([
  "second-factor-removed",
  "sign-up",
  "session-revoked",
  "password-changed",
  "user-administered",
  "impersonation-started",
  "impersonation-ended",
]);

/**
 * Tests for an event caused by another person, such as an administrator, whose device the owner
 * must not see.
 */
async function isByAnother(
  { auth }: RequestStore,
  { type, userId, actorId }: AuthEvent,
): Promise<boolean> {
  if (actorId !== undefined) return actorId !== userId;
  if (!BY_OTHERS.has(type)) return false;
  // Where nobody knows, also because the response has gone, it may have been another.
  const state = await auth.load().catch(() => null);
  return state === null || (state.status === "valid" && state.session.user.id !== userId);
}

async function placeOf(
  store: RequestStore | undefined,
  event: AuthEvent,
): Promise<Pick<ActivityRecord, "device" | "network">> {
  if (store === undefined || await isByAnother(store, event)) {
    return { device: null, network: null };
  }
  return {
    device: nameBrowser(store.request.headers.get("user-agent")),
    network: networkOf(event.address ?? null),
  };
}

async function storeEvent(event: AuthEvent, { storage }: Settings): Promise<void> {
  const { type, userId, provider = null } = event;
  if (userId === undefined || !SHOWN.has(type)) return;
  const store = findRequest();
  const at = event.at.getTime();
  const place = await placeOf(store, event);
  const tenant = await store?.auth.tenant?.load();
  await groupOf(storage, activityGroup).insertActivity({
    // Of what happens at once a sign-in is the last.
    id: (type === "sign-in" ? "1" : "0") + toHex(randomBytes(16)),
    userId,
    type,
    provider,
    ...place,
    ...(tenant && { tenantId: tenant.id }),
    at,
  }, { keep: KEPT, since: at - MAX_AGE });
}

/** Listeners of an application, and one that stores the activity of accounts. */
export function withActivity(settings: Settings): AuthEvents {
  return alsoListening(settings.events, (event) => storeEvent(event, settings));
}

/**
 * Activity of an account, newest first. With tenants: that which counts for the tenant of this
 * request, and in a request of none all.
 */
export async function listActivity(
  { auth }: RequestStore,
  userId: string,
): Promise<ActivityRecord[]> {
  const { storage, now } = auth.settings;
  const since = now() - MAX_AGE;
  const entries = await groupOf(storage, activityGroup).listActivity(userId, {
    since,
    limit: KEPT,
  });
  return await auth.tenant?.filter(entries) ?? entries;
}

/** Texts of the entries; the second one names the provider. */
const TEXTS: Readonly<Record<string, readonly [text: PageText, named?: PageText]>> = {
  "sign-up": ["Account created", "Account created with {provider}"],
  "sign-in": ["Signed in", "Signed in with {provider}"],
  "sign-out": ["Signed out"],
  "session-revoked": ["Signed out elsewhere"],
  "email-verified": ["Email address confirmed"],
  "email-changed": ["Email address changed"],
  "account-linked": ["Account connected", "Connected {provider}"],
  "account-unlinked": ["Account disconnected", "Disconnected {provider}"],
  "passkey-added": ["Passkey added"],
  "passkey-removed": ["Passkey removed"],
  "password-changed": ["Password changed"],
  "second-factor-added": ["Two-step sign-in turned on"],
  "second-factor-removed": ["Two-step sign-in turned off"],
  "second-factor-closed": ["Second step closed for a day after too many wrong codes"],
  "recovery-code-used": ["Recovery code used"],
  "api-key-added": ["API key created"],
  "api-key-rotated": ["API key replaced"],
  "api-key-removed": ["API key revoked"],
  "user-administered": ["Changed by an administrator"],
  "impersonation-started": ["An administrator signed in as you"],
  "impersonation-ended": ["The administrator’s sign-in as you ended"],
  "second-factor-recovery-requested": ["Sign-in without the second step asked for"],
  "second-factor-recovery-cancelled": ["Request to sign in without the second step cancelled"],
  "replay-detected": ["A passkey was refused because it may have been copied"],
};

/** Texts of what an invitation to a team has done, which is no provider with a name. */
const INVITED: Readonly<Record<string, PageText>> = {
  "sign-up": "Account created by an invitation",
  "sign-in": "Signed in by an invitation",
};

const CODE_AGAIN = ["A code was used a second time and refused"] as const;

// The others are one click away.
const OPEN = 5;

function entryRow(
  look: Look,
  { type, provider, device, network, at }: ActivityRecord,
  names: ReadonlyMap<string, string>,
): Html {
  const isCode = type === "replay-detected" && provider === "second-factor";
  const isInvited = provider === "team" && !names.has(provider) && type in INVITED;
  const [text, named] = isCode
    ? [...CODE_AGAIN, undefined] as const
    : isInvited
    ? [INVITED[type]!, undefined] as const
    : TEXTS[type]!;
  const name = provider === null ? undefined : names.get(provider) ?? provider;
  const place = [
    describeDevice(look, device),
    ...network === null ? [] : [describeNetwork(network)],
  ];
  // Neither is known of what somebody else did.
  const isPlaced = device !== null || network !== null;
  return row({
    mark: icon(type === "replay-detected" ? "bad" : "good"),
    title: name === undefined || named === undefined
      ? say(look, text)
      : say(look, named, { provider: sayOwn(look, name) }),
    detail: markup`${moment(look, new Date(at))}${
      isPlaced && place.map((part) => markup` · <bdi>${part}</bdi>`)
    }`,
  });
}

/** Section with the account's recent activity. */
export function activitySection(
  look: Look,
  { activity, names, endsOthers }: AccountView,
): AccountSection {
  return {
    id: "activity",
    title: say(look, "Recent activity"),
    ...endsOthers && !isActedFor(look) && {
      lead: say(look, "Something here that wasn’t you? {devices}, then change how you sign in.", {
        devices: link("#devices", say(look, "Sign out everywhere else")),
      }),
    },
    content: activityRows(look, activity, names),
  };
}

/** The entries, of which the newest are shown at once. */
export function activityRows(
  look: Look,
  activity: readonly ActivityRecord[],
  names: ReadonlyMap<string, string>,
): Html {
  const items = activity
    .filter(({ type }) => Object.hasOwn(TEXTS, type))
    .map((entry) => entryRow(look, entry, names));
  const more = items.slice(OPEN);
  const none = markup`<li><span class="quiet">${
    say(look, "There is no recent activity.")
  }</span></li>\n`;
  return markup`${rows(items.length === 0 ? [none] : items.slice(0, OPEN))}${
    more.length > 0 &&
    markup`<details><summary>${say(look, "Show more")}</summary>\n${rows(more)}</details>\n`
  }`;
}

/**
 * The network of an address: enough to tell home from abroad, too little to tell one household from another.
 * The first 24 bits of IPv4, the first 48 of IPv6; null for no address. Loopback is no network, and stays whole.
 */
export function networkOf(address: string | null): string | null {
  const known = canonicalAddress(address ?? "");
  if (known === null || known === "::1" || known.startsWith("127.")) return known;
  if (!known.includes(":")) return known.replace(/\d+$/, "0/24");
  const bits = addressBits(known).slice(1);
  const groups = [0, 16, 32].map((start) =>
    parseInt(bits.slice(start, start + 16), 2).toString(16)
  );
  return `${canonicalAddress(`${groups.join(":")}::`)}/48`;
}

/** Formats a network so that the omitted part of the address is visible. */
export function describeNetwork(network: string): string {
  return network.replace(/\.0\/24$/, ".x").replace(/:?:\/48$/, ":…");
}
