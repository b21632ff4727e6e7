/**
 * A passkey as the second factor, after another first one.
 *
 * @module
 */

import type { FactorMethod } from "../../core/contracts.ts";
import { jsonResponse } from "../../core/redirect.ts";
import { PasskeyError, UserUnavailableError } from "../../errors.ts";
import { markup } from "../../lib/html.ts";
import { lookOf, say } from "../../pages/frame.ts";
import { form, icon } from "../../pages/parts.ts";
import { passkeyMessages } from "../../pages/passkey.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { passkeyGroup } from "../../storage/passkeys.ts";
import { groupOf } from "../../storage/storage.ts";
import { type CheckedPasskey, issueChallenge, relyingParty, requestOptions } from "./challenge.ts";
import { attemptOf, provePasskey } from "./sign_in.ts";

/**
 * Proves a passkey of a user who has proved the first factor: to have it is enough, with or without a verified user. The
 * request for a challenge names the passkeys of that user, who is known by then, and of nobody else.
 */
export function passkeyFactor(config: CheckedPasskey): FactorMethod {
  return {
    async form({ store }, { userId, action, options, callbackUrl }) {
      const { storage } = store.auth.settings;
      const passkeys = await groupOf(storage, passkeyGroup).listPasskeys(userId);
      if (passkeys.length === 0) return null;
      const look = lookOf(store);
      return markup`<section data-passkey="available" hidden>
${
        form({
          action,
          hidden: { credential: "", callbackUrl },
          kind: "ways",
          attributes: markup` data-passkey="sign-in" data-options="${options}"`,
          content: [
            markup`<button>${icon("key")}<span>${
              say(look, "Continue with a passkey")
            }</span></button>\n`,
            passkeyMessages(look, "sign-in"),
          ],
        })
      }</section>
`;
    },
    async ask(context, userId) {
      const { store } = context;
      await limitAttempts(context, attemptOf(config, "prepare"));
      const passkeys = await groupOf(store.auth.settings.storage, passkeyGroup)
        .listPasskeys(userId);
      const challenge = await issueChallenge(context, {
        ceremony: "passkey-authenticate",
        userId,
        payload: null,
      });
      return jsonResponse(requestOptions(relyingParty(config, store), challenge, passkeys));
    },
    async prove(context, userId, credential) {
      const { passkey, user, userVerified } = await provePasskey(context, config, credential);
      if (passkey.userId !== userId) throw new PasskeyError();
      if (user === null) throw new UserUnavailableError();
      return { id: passkey.id, userVerified };
    },
  };
}
