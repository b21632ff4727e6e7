/**
 * Passkeys that were added since the last new password, shown where the next one is chosen: whoever knew the old one may have
 * left them behind, and a new password ends none.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { reportChange } from "../../core/report.ts";
import type { AddedPasskey } from "../../pages/passkey.ts";
import { passkeyGroup } from "../../storage/passkeys.ts";
import { passwordGroup } from "../../storage/passwords.ts";
import { groupOf } from "../../storage/storage.ts";
import { openWays } from "../identity.ts";

function passkeyProvider({ auth: { settings: { providers } } }: RequestStore): string | undefined {
  return [...providers.values()].find(({ type }) => type === "webauthn")?.id;
}

/** Reads them, the oldest first; none of a user without a password, and none where no passkey signs in. */
export async function readAddedPasskeys(
  store: RequestStore,
  userId: string,
): Promise<AddedPasskey[]> {
  if (passkeyProvider(store) === undefined) return [];
  const { storage } = store.auth.settings;
  const password = await groupOf(storage, passwordGroup).readPassword(userId);
  if (password === null) return [];
  const passkeys = await groupOf(storage, passkeyGroup).listPasskeys(userId);
  return passkeys
    .filter(({ createdAt }) => createdAt > password.changedAt)
    .map(({ id, name, createdAt }) => ({ id, name, at: new Date(createdAt) }));
}

/** Removes those that the form ticks: of the ones that the page has shown, and no others. */
export async function removeTicked(
  store: RequestStore,
  { userId, fields, added }: {
    userId: string;
    fields: ReadonlyMap<string, string>;
    added: readonly AddedPasskey[];
  },
): Promise<void> {
  const { settings } = store.auth;
  const ticked = new Set(
    [...fields].filter(([name]) => name.startsWith("remove-passkey-")).map(([, id]) => id),
  );
  const provider = passkeyProvider(store);
  for (const { id } of added.filter((one) => ticked.has(one.id))) {
    const by = provider !== undefined && { provider };
    await reportChange(
      store,
      {
        events: [{ type: "passkey-removed", userId, passkeyId: id, ...by }],
        happened: (result) => result === "deleted",
      },
      () =>
        groupOf(settings.storage, passkeyGroup)
          .deletePasskey(userId, id, { keep: openWays(settings) }),
    );
  }
}
