import { UnauthenticatedError } from "../errors/access_errors.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import { jsonResponse } from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import type { CheckedPasskey } from "../providers/passkey_config.ts";
import { type Attempt, limitAttempts } from "../rate_limit/sign_in_limits.ts";
import { completeSignIn } from "../sign_in/complete_sign_in.ts";
import { failurePage } from "../sign_in/failure_page.ts";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import type { StoredSecret } from "../storage/secret_storage.ts";
import type { User } from "../users/user.ts";
import { advance } from "./advance.ts";
import { requestOptions } from "./ceremony_options.ts";
import { issueChallenge, takeChallenge } from "./challenge.ts";
import { type Answer, orRefuse, readAnswer } from "./read_answer.ts";
import { relyingParty } from "./relying_party.ts";
import { verifyAssertion } from "./verify_assertion.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

/**
 * `POST /passkey/options/authenticate`: what a browser needs to prove that it has a passkey. It names no
 * passkey, so that it tells nobody who has an account; with the field `reauthenticate` it names those of
 * whoever is signed in.
 */
export function signInOptionsEndpoint(config: CheckedPasskey): Endpoint {
  return async function startSignIn(context) {
    const { auth, request } = context.store;
    const fields = await readFields(request, { optional: true });
    let userId: string | null = null;
    let passkeys: PasskeyRecord[] = [];
    await limitAttempts(context, attemptOf(config, "prepare"));
    if (fields.get("reauthenticate") === "true") {
      const state = await auth.load();
      if (state.status !== "valid") throw new UnauthenticatedError();
      userId = state.session.user.id;
      passkeys = await passkeysOf(auth.settings.storage).listPasskeys(userId);
    }
    const challenge = await issueChallenge(context, {
      ceremony: "passkey-authenticate",
      userId,
      payload: null,
    });
    return jsonResponse(requestOptions(config, challenge, passkeys));
  };
}

/** What is counted: nobody says who it is before the passkey does. */
export function attemptOf(
  { id }: CheckedPasskey,
  apart: "passkey" | "prepare" = "passkey",
): Attempt {
  return { of: "login", provider: id, identifier: null, apart };
}

/**
 * Who an answer says it is (WebAuthn Level 3, 7.2 steps 5 and 6): without a name before, the passkey's own
 * owner by the handle in it; with one, that user and no other.
 *
 * @throws {Error} When it is nobody, or somebody else.
 */
function assertOwner(passkey: PasskeyRecord, { credential }: Answer, taken: StoredSecret): void {
  const handle = credential.response.get("userHandle");
  if (taken.userId !== null && taken.userId !== passkey.userId) {
    throw new Error("Passkey of another user than the one who is signed in");
  }
  if (handle === undefined && taken.userId !== null) return;
  if (handle !== passkey.userHandle) throw new Error("Passkey of another user than it says");
}

/** `POST /signin/<id>`: signs in whoever has the passkey. */
export function signInEndpoint(config: CheckedPasskey): Endpoint {
  /** The passkey that an answer proves. */
  async function prove(
    context: EndpointContext,
    text: string | undefined,
  ): Promise<{ passkey: PasskeyRecord; user: User | null }> {
    const answer = await orRefuse(() => readAnswer(text), "PASSKEY_REFUSED", context);
    const { credential, client } = answer;
    const taken = await takeChallenge(context, "passkey-authenticate", client.challenge);
    const { storage } = context.store.auth.settings;
    return await orRefuse(
      async () => {
        const passkey = await passkeysOf(storage).getPasskey(credential.id);
        if (passkey === null) throw new Error("Passkey that nobody here has");
        assertOwner(passkey, answer, taken);
        // Before the use is stored, which shows that the passkey was still there for this user.
        const user = await storage.getActiveUser(passkey.userId);
        const party = relyingParty(config, context.store.auth);
        const data = await verifyAssertion(credential, client.challenge, {
          passkey,
          config: party,
        });
        await advance(context, data, { passkey, provider: config.id });
        return { passkey, user };
      },
      "PASSKEY_REFUSED",
      context,
    );
  }

  return async function signInWithPasskey(context) {
    const { store: { request, auth, report } } = context;
    const fields = await readFields(request, { optional: false });
    const callbackUrl = fields.get("callbackUrl");
    let userId: string | undefined;
    try {
      const refund = await limitAttempts(context, attemptOf(config));
      const { passkey, user } = await prove(context, fields.get("credential"));
      userId = passkey.userId;
      if (user === null) throw new UserUnavailableError();
      const response = await completeSignIn(context, {
        owner: { user, emailIdentity: null, at: auth.settings.now() },
        known: true,
        save: { unproved: !user.emailVerified },
        account: { provider: config.id, providerAccountId: passkey.id, type: "webauthn" },
        callbackUrl,
      });
      refund();
      return response;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw error;
      const { code } = error;
      const who = { provider: config.id, ...(userId !== undefined && { userId }) };
      if (code !== "RATE_LIMITED") report({ type: "sign-in-failed", code, ...who });
      if (prefersJson(request)) throw error;
      return await failurePage(error, context, { values: new Map(), callbackUrl });
    }
  };
}
