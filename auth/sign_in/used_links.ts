/**
 * Links that have been used, remembered to notice who comes with one again.
 *
 * @module
 */

import type { EndpointContext } from "../core/contracts.ts";
import { hashSecret, isSecret } from "../lib/secret.ts";
import { secretGroup } from "../storage/secrets.ts";
import { groupOf } from "../storage/storage.ts";

/** Purpose under which the links of `passwords()` are remembered. */
const USED = "password-link-used";

/**
 * Remembers a link that has been used until it would have ended. Nobody waits for it. The record names no user: what
 * ends with a new password of the user ends without it.
 */
export function rememberUsed(
  { store }: EndpointContext,
  { hash, expiresAt }: { hash: string; expiresAt: number },
): void {
  const { storage, now } = store.auth.settings;
  const record = { purpose: USED, hash, identifier: null, userId: null, payload: null };
  store.waitUntil(
    groupOf(storage, secretGroup).putSecret({ ...record, createdAt: now(), expiresAt }),
  );
}

/**
 * Reports a link that does not hold because it has been used: another person may have read the mail.
 *
 * @param purpose Purpose under which used ones are remembered. Default: that of the links of `passwords()`.
 */
export async function reportReplay(
  { store: { report, auth: { settings } } }: EndpointContext,
  { provider, token, purpose = USED }: {
    provider: string;
    token: string | null | undefined;
    purpose?: string;
  },
): Promise<void> {
  if (!isSecret(token)) return;
  const used = await groupOf(settings.storage, secretGroup)
    .readSecret(purpose, await hashSecret(token), settings.now());
  if (used !== null) report({ type: "replay-detected", provider });
}
