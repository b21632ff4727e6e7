import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import type { EndpointContext } from "../http/contracts.ts";
import type { VerifiedUse } from "./verify_assertion.ts";

// Each try is lost to another sign-in with the same passkey: whoever loses that often is no person.
const MAX_TRIES = 20;

/**
 * Stores a use of a passkey. A counter that does not grow means that there are two keys, of which one is a copy
 * (WebAuthn Level 3, 7.2 step 22), so that neither is believed from then on to be the only one: the answer is
 * refused and reported. The change happens only to the counter that was compared.
 *
 * @throws {Error} When the counter does not grow, or the passkey is gone.
 */
export async function advance(
  { store }: EndpointContext,
  { counter: to, backedUp }: VerifiedUse,
  { passkey, provider }: { passkey: PasskeyRecord; provider: string },
): Promise<void> {
  const { storage, now } = store.auth.settings;
  const passkeys = passkeysOf(storage);
  const { id, userId } = passkey;
  let from = passkey.counter;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    // From an authenticator that does not count it is always 0.
    if (to <= from && (to !== 0 || from !== 0)) {
      store.report({ type: "replay-detected", provider, userId });
      throw new Error(`Counter ${to} after ${from}`);
    }
    if (await passkeys.advancePasskey(id, { from, to, backedUp, at: now() })) return;
    const present = await passkeys.getPasskey(id);
    if (present === null) throw new Error("Passkey that has been removed");
    from = present.counter;
  }
  throw new Error("Passkey that is used too often at once");
}
