/**
 * Sign-in by a passkey.
 *
 * @module
 */

import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { jsonResponse } from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import {
  AccountTakenError,
  isAuthError,
  PasskeyError,
  UnauthenticatedError,
  UserUnavailableError,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { fromBase64UrlBytes } from "../../lib/encoding.ts";
import { type Attempt, limitAttempts } from "../../rate_limit/sign_in.ts";
import { passkeyGroup, type PasskeyRecord } from "../../storage/passkeys.ts";
import type { StoredSecret } from "../../storage/secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { User } from "../../types/user.ts";
import { completeSignIn, failurePage } from "../sign_in.ts";
import {
  type CheckedPasskey,
  issueChallenge,
  type RelyingParty,
  relyingParty,
  requestOptions,
  takeChallenge,
} from "./challenge.ts";
import {
  type Answer,
  assertSignature,
  assertVerified,
  type CredentialJson,
  decodeCborMap,
  loadDecoders,
  loadVerifier,
  orRefuse,
  readAnswer,
  readAuthenticatorData,
  responseBytes,
} from "./credential.ts";

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
      passkeys = await groupOf(auth.settings.storage, passkeyGroup).listPasskeys(userId);
    }
    const challenge = await issueChallenge(context, {
      ceremony: "passkey-authenticate",
      userId,
      payload: null,
    });
    const party = relyingParty(config, context.store);
    return jsonResponse(requestOptions(party, challenge, passkeys));
  };
}

/** Attempt to count: the user is unknown until the passkey identifies them. */
export function attemptOf(
  { id }: CheckedPasskey,
  apart: "passkey" | "prepare" = "passkey",
): Attempt {
  return { of: "login", provider: id, identifier: null, apart };
}

/**
 * Checks the user that a response claims (WebAuthn Level 3, 7.2 steps 5 and 6): the passkey's owner
 * by the user handle; after a sign-in that named a user, that user and no other.
 *
 * @throws {Error} When it is nobody, or somebody else.
 */
function assertOwner(passkey: PasskeyRecord, { credential }: Answer, taken: StoredSecret): void {
  const handle = credential.response.get("userHandle");
  if (taken.userId !== null && taken.userId !== passkey.userId) {
    throw new Error("The passkey belongs to another user than the one who is signed in");
  }
  if (handle === undefined && taken.userId !== null) return;
  if (handle !== passkey.userHandle) {
    throw new Error("The passkey belongs to another user than its user handle says");
  }
}

/**
 * The error for a passkey that the server knows nothing of. A script is told so, to have the password manager drop the
 * passkey (WebAuthn Level 3, 5.1.10.1): it has taken a challenge of its own browser, and no id can be guessed.
 */
function unknownPasskey({ store: { request } }: EndpointContext): Error {
  const cause = new Error("The passkey is unknown");
  return prefersJson(request)
    ? new PasskeyError(undefined, { code: "PASSKEY_UNKNOWN", cause })
    : cause;
}

/**
 * Proves the passkey of an answer, whose challenge is taken and whose use is stored.
 *
 * @returns The passkey, its user, null for a disabled one, and if the user was verified in this very answer.
 * @throws {PasskeyError} When anything about it is wrong.
 */
export async function provePasskey(
  context: EndpointContext,
  config: CheckedPasskey,
  text: string | undefined,
): Promise<{ passkey: PasskeyRecord; user: User | null; userVerified: boolean }> {
  const answer = await orRefuse(() => readAnswer(text), "PASSKEY_REFUSED", context);
  const { credential, client } = answer;
  const taken = await takeChallenge(context, "passkey-authenticate", client.challenge);
  const { storage } = context.store.auth.settings;
  return await orRefuse(
    async () => {
      const passkeys = groupOf(storage, passkeyGroup);
      const passkey = await passkeys.getPasskey(credential.id);
      if (passkey === null) {
        // The password manager would drop what a repaired row makes good again.
        if (await passkeys.hasPasskey(credential.id)) throw new Error("Its row cannot be read");
        throw unknownPasskey(context);
      }
      assertOwner(passkey, answer, taken);
      // Before the use is stored, which shows that the passkey was still there for this user.
      const user = await storage.getActiveUser(passkey.userId);
      const party = relyingParty(config, context.store);
      const data = await verifyAssertion(credential, client.challenge, {
        passkey,
        config: party,
      });
      await advance(context, data, { passkey, provider: config.id });
      return { passkey, user, userVerified: data.userVerified };
    },
    "PASSKEY_REFUSED",
    context,
  );
}

/** `POST /signin/<id>`: signs in whoever has the passkey. */
export function signInEndpoint(config: CheckedPasskey): Endpoint {
  return async function signInWithPasskey(context) {
    const { store: { request, auth, report } } = context;
    const fields = await readFields(request, { optional: false });
    const callbackUrl = fields.get("callbackUrl");
    let userId: string | undefined;
    try {
      const refund = await limitAttempts(context, attemptOf(config));
      const { passkey, user, userVerified } = await provePasskey(
        context,
        config,
        fields.get("credential"),
      );
      userId = passkey.userId;
      if (user === null) throw new UserUnavailableError();
      const passkeys = groupOf(auth.settings.storage, passkeyGroup);
      let asked = false;
      const response = await completeSignIn(context, {
        owner: { user, emailIdentity: null, at: auth.settings.now() },
        known: true,
        save: {
          unproved: !user.emailVerified,
          existing: true,
          passkey: passkeys.preparePasskeyUse(userId, passkey.id),
        },
        account: { provider: config.id, providerAccountId: passkey.id, type: "webauthn" },
        // Possession and a verified user are two factors, whatever the configuration asks for.
        amr: userVerified ? ["pop", "user", "mfa"] : ["pop"],
        prepare: () => Promise.resolve(void (asked = true)),
        callbackUrl,
      }).catch((error) => {
        // Removed meanwhile; what the application's callback throws is its own answer.
        throw asked && error instanceof AccountTakenError ? new UserUnavailableError() : error;
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

/** The part of a passkey's record that changes with a use of it. */
interface VerifiedUse extends Pick<PasskeyRecord, "counter" | "backedUp"> {
  /** True when the authenticator has verified its user in this very assertion. */
  userVerified: boolean;
}

/**
 * Verifies the answer of an authenticator that was asked to prove that it has a passkey (WebAuthn Level 3,
 * 7.2). Its counter is for the caller to judge, who knows what it was at the moment of the change.
 *
 * @param challenge The challenge, which has been taken.
 * @param passkey The passkey that the answer names.
 * @throws {Error} When something is wrong with it.
 */
export async function verifyAssertion(
  credential: CredentialJson,
  challenge: string,
  { passkey, config }: {
    passkey: PasskeyRecord;
    config: RelyingParty;
  },
): Promise<VerifiedUse> {
  const decoders = await loadDecoders();
  const { key } = readAuthenticatorData(responseBytes(credential, "authenticatorData"), decoders);
  if (key !== null) throw new Error("The assertion has a key");
  const publicKey = fromBase64UrlBytes(passkey.publicKey).slice();
  assertSignature(decodeCborMap(publicKey, decoders), responseBytes(credential, "signature"));
  const { verifyAuthenticationResponse } = await loadVerifier();
  const { id, response } = credential;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      response: Object.fromEntries(response) as unknown as AuthenticationResponseJSON["response"],
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: [...config.origin],
    expectedRPID: config.rpId,
    // A counter of 0 is behind every other one, and one that is 0 itself is not compared.
    credential: { id, publicKey, counter: 0 },
    // Told apart below, where the signature is known to be right.
    requireUserVerification: false,
  });
  if (!verified) throw new Error("The signature does not verify");
  const { newCounter, credentialDeviceType, credentialBackedUp, userVerified } = authenticationInfo;
  // It says whether the key can be copied, and a key that could not be copied cannot become one that can.
  if (credentialDeviceType !== passkey.deviceType) {
    throw new Error("The key's backup eligibility changed");
  }
  assertVerified(config, userVerified);
  return { counter: newCounter, backedUp: credentialBackedUp, userVerified };
}

// Each try is lost to another sign-in with the same passkey: whoever loses that often is no person.
const MAX_TRIES = 20;

/**
 * Stores a use of a passkey. A counter that does not grow means that there are two keys, of which one is a copy
 * (WebAuthn Level 3, 7.2 step 22), so that neither is believed from then on to be the only one: the answer is
 * refused and reported. The change happens only to the counter that was compared.
 *
 * @throws {Error} When the counter does not grow, or the passkey is gone.
 */
async function advance(
  { store }: EndpointContext,
  { counter: to, backedUp }: VerifiedUse,
  { passkey, provider }: { passkey: PasskeyRecord; provider: string },
): Promise<void> {
  const { storage, now } = store.auth.settings;
  const passkeys = groupOf(storage, passkeyGroup);
  const { id, userId } = passkey;
  let from = passkey.counter;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    // From an authenticator that does not count it is always 0.
    if (to <= from && (to !== 0 || from !== 0)) {
      store.report({ type: "replay-detected", provider, userId });
      throw new Error(`The signature counter went from ${from} to ${to}`);
    }
    if (await passkeys.advancePasskey(id, { from, to, backedUp, at: now() })) return;
    const present = await passkeys.getPasskey(id);
    if (present === null) throw new Error("The passkey has been removed");
    from = present.counter;
  }
  throw new Error("The passkey is used too often at once");
}
