/**
 * Facts for password managers about a user's passkeys: which still sign in, and how the user is named.
 *
 * @module
 */

import type { Endpoint, RequestStore } from "../../core/contracts.ts";
import { readHostCookie, writeHostCookie } from "../../session/cookie.ts";
import { jsonResponse } from "../../core/redirect.ts";
import { UserUnavailableError } from "../../errors.ts";
import { hashText } from "../../lib/hash.ts";
import { requireUser } from "../../session/require.ts";
import { passkeyGroup, type PasskeyRecord } from "../../storage/passkeys.ts";
import { groupOf } from "../../storage/storage.ts";
import { accountName, type CheckedPasskey, relyingParty } from "./challenge.ts";

/** The passkeys that sign a user in, as the Signal API takes them (WebAuthn Level 3, 5.1.10). */
export interface AcceptedPasskeys {
  /** The domain. */
  rpId: string;
  /** User handle of the passkeys, base64url. */
  userId: string;
  /** The credential ids, base64url, also of passkeys whose rows cannot be read: whatever else a password manager has for the user signs nobody in. */
  allAcceptedCredentialIds: string[];
  /** Name by which the user is listed. */
  name: string;
  /** The user's own name. */
  displayName: string;
}

const COOKIE = "framework.passkey-handle";
const MAX_AGE = 86_400;

/**
 * Keeps the user handle of a passkey that was removed: it stands with the passkeys alone, and after the last one nobody
 * could name the user to the password manager, where the passkey would stay for good. It counts for its user alone:
 * with the empty list of somebody else it would delete the passkeys of whoever was here before.
 */
export async function keepHandle(
  store: RequestStore,
  { userHandle, userId }: Pick<PasskeyRecord, "userHandle" | "userId">,
): Promise<void> {
  const value = `${userHandle}.${await hashText(userId)}`;
  writeHostCookie(store, { name: COOKIE, value, maxAge: MAX_AGE }, "strict");
}

async function keptHandle(store: RequestStore, userId: string): Promise<string | null> {
  const [handle, owner] = readHostCookie(store, COOKIE)?.split(".") ?? [];
  if (!handle || owner !== await hashText(userId)) return null;
  return /^[\w-]{1,86}$/.test(handle) ? handle : null;
}

/**
 * `GET /passkey/accepted`: the visitor's own passkeys, for `signalAllAcceptedCredentials()` and
 * `signalCurrentUserDetails()`; null for a visitor who has none and of whom none was removed here.
 */
export function acceptedEndpoint(config: CheckedPasskey): Endpoint {
  return async function listAccepted({ store }) {
    const { auth } = store;
    const { id } = requireUser(await auth.load(), { throwError: true }, store);
    const { storage } = auth.settings;
    // As stored: a session may still say the name of before.
    const user = await storage.getActiveUser(id);
    if (user === null) throw new UserUnavailableError();
    const stored = groupOf(storage, passkeyGroup);
    const [passkey] = await stored.listPasskeys(id);
    const userHandle = passkey?.userHandle ?? await keptHandle(store, id);
    if (userHandle === null) return jsonResponse(null);
    const party = relyingParty(config, store);
    const accepted: AcceptedPasskeys = {
      rpId: party.rpId,
      userId: userHandle,
      allAcceptedCredentialIds: await stored.listPasskeyIds(id),
      ...accountName(user, party),
    };
    return jsonResponse(accepted);
  };
}
