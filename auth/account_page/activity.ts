import { toHex } from "../crypto/encoding.ts";
import { randomBytes } from "../crypto/token.ts";
import type { AuthEvent, AuthEvents } from "../events/events.ts";
import { findRequest } from "../request/request_store.ts";
import { activityOf } from "../storage/activity_of.ts";
import type { ActivityRecord } from "../storage/activity_storage.ts";
import { networkOf } from "./client_network.ts";
import { nameBrowser } from "./describe_browser.ts";
import type { RequestStore, Settings } from "../http/contracts.ts";

/** How long entries are kept, in milliseconds: 90 days. */
const MAX_AGE = 7_776_000_000;
/** How many entries of a user are kept. */
const KEPT = 50;

/**
 * What the owner of an account is shown. Refused sign-ins are not among it: anybody could fill the list with
 * them, and push out what matters.
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
]);

/** What somebody else can do to an account too. */
const BY_OTHERS: ReadonlySet<AuthEvent["type"]> = new Set([
  "sign-up",
  "session-revoked",
  "password-changed",
]);

/** Whether somebody else did it, such as an administrator, whose device is not the owner's to see. */
async function isByAnother({ auth }: RequestStore, { type, userId }: AuthEvent): Promise<boolean> {
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
  await activityOf(storage).insertActivity({
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

/** The listeners of an application, and one that stores what the owners of accounts are to see. */
export function withActivity(settings: Settings): AuthEvents {
  const { events } = settings;
  return {
    ...events,
    async "*"(event) {
      // Side by side: neither waits for the other, nor fails with it.
      const results = await Promise.allSettled([
        storeEvent(event, settings),
        (async () => await events["*"]?.(event))(),
      ]);
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
}

/** What happened to an account, the newest first. With tenants: what counts for the tenant of this request. */
export async function listActivity(
  { auth }: RequestStore,
  userId: string,
): Promise<ActivityRecord[]> {
  const { storage, now } = auth.settings;
  const since = now() - MAX_AGE;
  const entries = await activityOf(storage).listActivity(userId, { since, limit: KEPT });
  return await auth.tenant?.filter(entries) ?? entries;
}
