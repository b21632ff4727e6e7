/**
 * Registration of a passkey.
 *
 * @module
 */

import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { jsonResponse, ownRedirect, redirectResponse, safeCallback } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { gateOf, prefersJson } from "../../core/request.ts";
import {
  AccountTakenError,
  InvalidProfileError,
  isAuthError,
  PasskeyError,
  RequestError,
  UnauthenticatedError,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { isStorable, toBase64Url } from "../../lib/encoding.ts";
import { createSecret } from "../../lib/secret.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { holdsStill, requireRecentUser } from "../../session/require.ts";
import { MAX_PASSKEYS, passkeyGroup, type PasskeyRecord } from "../../storage/passkeys.ts";
import type { StoredSecret } from "../../storage/secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { createUserRecord } from "../../storage/user_record.ts";
import type { User } from "../../types/user.ts";
import { completeSignIn, failurePage } from "../sign_in.ts";
import {
  accountName,
  type CheckedPasskey,
  creationOptions,
  issueChallenge,
  type RelyingParty,
  relyingParty,
  takeChallenge,
} from "./challenge.ts";
import {
  ALGORITHMS,
  assertPublicKey,
  assertVerified,
  type CredentialJson,
  decodeCborMap,
  type Decoders,
  loadDecoders,
  loadVerifier,
  orRefuse,
  readAnswer,
  readAuthenticatorData,
  responseBytes,
  withoutMaker,
} from "./credential.ts";
import { nameManager } from "./managers.ts";
import { describePasskey, readPasskeyName } from "./operations.ts";
import { attemptOf } from "./sign_in.ts";

/** Record stored while the authenticator creates a passkey. */
type Registration =
  /** Of a signed-in user, in that session. */
  | {
    userHandle: string;
    sessionId: string;
    /** Time until which the browser may make it without asking, in milliseconds since 1970. Default: it asks. */
    automaticUntil?: number;
  }
  /** Of a new one, who is made when it is there. */
  | { userHandle: string; newUser: { id: string; name: string } };

const MAX_NAME = 64;

function tooMany(): PasskeyError {
  return new PasskeyError(
    `An account has at most ${MAX_PASSKEYS} passkeys. Remove one that is not used any more.`,
    { code: "PASSKEY_NOT_ADDED" },
  );
}

async function startForOwner(
  config: CheckedPasskey,
  context: EndpointContext,
  { user, sessionId }: { user: User; sessionId: string },
): Promise<Response> {
  const passkeys = await groupOf(context.store.auth.settings.storage, passkeyGroup).listPasskeys(
    user.id,
  );
  if (passkeys.length >= MAX_PASSKEYS) throw tooMany();
  // One for all passkeys of a user, or authenticators would show one user as several.
  const userHandle = passkeys[0]?.userHandle ?? createSecret();
  const payload: Registration = { userHandle, sessionId };
  const challenge = await issueChallenge(context, {
    ceremony: "passkey-register",
    userId: user.id,
    payload: JSON.stringify(payload),
  });
  const party = relyingParty(config, context.store);
  const account = { id: userHandle, ...accountName(user, party) };
  return jsonResponse(
    creationOptions(config, challenge, { user: account, exclude: passkeys, party }),
  );
}

async function startForNewUser(
  config: CheckedPasskey,
  context: EndpointContext,
  sent: string | undefined,
): Promise<Response> {
  const name = sent?.trim() ?? "";
  if (name === "") throw new RequestError("Fill in every required field");
  // Before the device asks its owner anything.
  if (!isStorable(name, MAX_NAME)) throw new InvalidProfileError("INVALID_NAME");
  const userHandle = createSecret();
  const payload: Registration = { userHandle, newUser: { id: crypto.randomUUID(), name } };
  const challenge = await issueChallenge(context, {
    ceremony: "passkey-register",
    userId: null,
    payload: JSON.stringify(payload),
  });
  const account = { id: userHandle, name, displayName: name };
  const party = relyingParty(config, context.store);
  // The only way into the account, so the browser must list it without a name.
  const listed = { ...config, residentKey: "required" } as const;
  return jsonResponse(creationOptions(listed, challenge, { user: account, exclude: [], party }));
}

/**
 * `POST /passkey/options/register`: what a browser needs to make a passkey, for whoever is signed in, or for
 * somebody new. Never for a user who is merely named.
 */
export function registrationOptionsEndpoint(config: CheckedPasskey): Endpoint {
  return async function startRegistration(context) {
    const { store } = context;
    const fields = await readFields(store.request, { optional: true });
    await limitAttempts(context, attemptOf(config, "prepare"));
    const state = await store.auth.load();
    if (state.status === "valid") {
      const user = requireRecentUser(state, { throwError: true }, store);
      // A passkey is two factors: who has not proved the second one of late makes none.
      await gateOf(store.auth.settings)?.assertFresh(store);
      return await startForOwner(config, context, { user, sessionId: state.id });
    }
    if (!config.signUp) throw new UnauthenticatedError();
    return await startForNewUser(config, context, fields.get("name"));
  };
}

/** Adds the passkey to the user who asked for it, in the session in which they did. */
async function addToOwner(
  config: CheckedPasskey,
  context: EndpointContext,
  { passkey, sessionId }: { passkey: PasskeyRecord; sessionId: string },
): Promise<void> {
  const { auth } = context.store;
  const state = await auth.load();
  const { userId } = passkey;
  if (state.status !== "valid") throw new UnauthenticatedError();
  if (state.id !== sessionId || state.session.user.id !== userId) {
    throw new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" });
  }
  const { storage } = auth.settings;
  const user = await storage.getActiveUser(userId);
  const expired = () => new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" });
  // In this order nobody adds a way in to a user whose mailbox its owner proves at this moment.
  if (!await holdsStill(context.store, state)) throw expired();
  const passkeys = groupOf(storage, passkeyGroup);
  const isRow = auth.settings.strategy.name === "database";
  const stored = await reportChange(context.store, {
    events: [{ type: "passkey-added", userId, provider: config.id, passkeyId: passkey.id }],
  }, async () => {
    const isStored = await passkeys.insertPasskey(passkey, {
      unproved: !user?.emailVerified,
      ...isRow && { sessionId },
    });
    // A session that is no row cannot be a condition of the insertion.
    if ((!isStored || !isRow) && !await holdsStill(context.store, state)) {
      if (isStored) await passkeys.deletePasskey(userId, passkey.id, { keep: null });
      throw expired();
    }
    return isStored;
  });
  if (!stored) {
    const { length } = await passkeys.listPasskeys(userId);
    throw length >= MAX_PASSKEYS ? tooMany() : new AccountTakenError();
  }
}

/** The passkey that an answer brings, verified. Whose it will be says the challenge. */
async function readPasskey(
  config: CheckedPasskey,
  context: EndpointContext,
  fields: ReadonlyMap<string, string>,
): Promise<{
  passkey: Omit<PasskeyRecord, "userId">;
  userVerified: boolean;
  taken: StoredSecret;
  asked: Registration;
}> {
  const name = readPasskeyName(fields.get("passkeyName"));
  const { credential, client } = await orRefuse(
    () => readAnswer(fields.get("credential")),
    "PASSKEY_NOT_ADDED",
    context,
  );
  const taken = await takeChallenge(context, "passkey-register", client.challenge);
  const asked = JSON.parse(taken.payload!) as Registration;
  const { automaticUntil = null } = "automaticUntil" in asked ? asked : {};
  if (automaticUntil !== null && automaticUntil <= context.store.auth.settings.now()) {
    throw new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" });
  }
  const { aaguid, userVerified, ...verified } = await orRefuse(
    () =>
      verifyRegistration(credential, client.challenge, {
        ...relyingParty(config, context.store),
        automatic: automaticUntil !== null,
      }),
    "PASSKEY_NOT_ADDED",
    context,
  );
  const createdAt = context.store.auth.settings.now();
  const { userHandle } = asked;
  return {
    passkey: {
      ...verified,
      userHandle,
      name: name ?? nameManager(aaguid),
      createdAt,
      lastUsedAt: null,
    },
    userVerified,
    taken,
    asked,
  };
}

/** `POST /passkey/register`: stores the passkey that the browser has made. */
export function registrationEndpoint(config: CheckedPasskey): Endpoint {
  async function register(
    context: EndpointContext,
    fields: ReadonlyMap<string, string>,
  ): Promise<Response> {
    const { auth, request } = context.store;
    // What makes a user is not taken back: nobody makes any number of them.
    const refund = await limitAttempts(context, attemptOf(config));
    // Anew: since the question for its options its user may have to have a second factor.
    await gateOf(auth.settings)?.assertFresh(context.store, true);
    const { passkey, userVerified, taken, asked } = await readPasskey(config, context, fields);
    const callbackUrl = fields.get("callbackUrl");
    if ("newUser" in asked) {
      const owner = createUserRecord(asked.newUser, auth.settings.now(), "passkey()");
      const userId = owner.user.id;
      const begin = () =>
        completeSignIn(context, {
          owner,
          account: { provider: config.id, providerAccountId: passkey.id, type: "webauthn" },
          save: {
            passkey: groupOf(auth.settings.storage, passkeyGroup).preparePasskey({
              ...passkey,
              userId,
            }),
          },
          // As at each sign-in with it: the same passkey once more would be no second factor.
          amr: userVerified ? ["pop", "user", "mfa"] : ["pop"],
          callbackUrl,
        });
      const { response } = await reportChange(context.store, {
        events: [{ type: "passkey-added", userId, provider: config.id, passkeyId: passkey.id }],
        happened: ({ isAdded }) => isAdded,
      }, async () => {
        const response = await begin();
        // Without a session the application has sent the visitor elsewhere, and nothing is stored.
        const state = await auth.load();
        return {
          response,
          isAdded: state.status === "valid" && state.session.user.id === userId,
        };
      });
      return response;
    }
    const own = { ...passkey, userId: taken.userId! };
    await addToOwner(config, context, { passkey: own, sessionId: asked.sessionId });
    refund();
    if (asked.automaticUntil !== undefined) await config.automatic?.tell(context.store, own);
    else config.mails?.tellAdded(context.store, own.userId);
    if (prefersJson(request)) return jsonResponse(describePasskey(own));
    const target = safeCallback(callbackUrl, context) ?? ownRedirect("/", auth.origin());
    return redirectResponse(target, 303);
  }

  return async function finishRegistration(context) {
    const { auth, request } = context.store;
    const fields = await readFields(request, { optional: false });
    try {
      return await register(context, fields);
    } catch (error) {
      const mendable = isAuthError(error) && error.status < 500 && !prefersJson(request);
      // Who is signed in came from a page of the application, and nothing is mended on the sign-in page.
      if (!mendable || (await auth.load()).status === "valid") throw error;
      return await failurePage(error, context, {
        values: new Map(),
        callbackUrl: fields.get("callbackUrl"),
      });
    }
  };
}

/** The part of a new passkey's record that its authenticator vouches for. */
export type VerifiedPasskey =
  & Pick<
    PasskeyRecord,
    "id" | "publicKey" | "counter" | "transports" | "deviceType" | "backedUp"
  >
  & {
    /** Model of the authenticator, as it says; zeros for none. */
    aaguid: string;
    /** True when it has verified its user. */
    userVerified: boolean;
  };

/**
 * Checks what the verifier does not: that the bytes have one reading, and that the key is one.
 *
 * @returns The attestation object that the verifier is to read.
 */
function readNewKey(credential: CredentialJson, decoders: Decoders): Uint8Array {
  const object = decodeCborMap(responseBytes(credential, "attestationObject"), decoders);
  const bytes = object.get("authData");
  if (object.size !== 3 || !(bytes instanceof Uint8Array)) {
    throw new Error("The attestation object is malformed");
  }
  const { fields: { credentialID }, key } = readAuthenticatorData(bytes, decoders);
  if (credentialID === undefined || key === null) {
    throw new Error("The registration has no public key");
  }
  if (toBase64Url(credentialID) !== credential.id) {
    throw new Error("The public key belongs to another credential id");
  }
  assertPublicKey(key);
  return withoutMaker(object);
}

/**
 * Verifies the answer of an authenticator that was asked for a new passkey (WebAuthn Level 3, 7.1).
 *
 * The maker of the authenticator makes no difference: no attestation is asked for, and one that comes all the same is
 * not read.
 *
 * @param challenge The challenge, which has been taken.
 * @param config `automatic`: a browser has made it without asking, for which its user need not have been present (7.1, step
 * 15). What it then says of its user counts for nothing: each sign-in with it says that anew. Default false.
 * @throws {Error} When something is wrong with it.
 */
export async function verifyRegistration(
  credential: CredentialJson,
  challenge: string,
  config: RelyingParty & { automatic?: boolean },
): Promise<VerifiedPasskey> {
  const { origin, rpId, automatic = false } = config;
  const attestationObject = toBase64Url(readNewKey(credential, await loadDecoders()));
  const { verifyRegistrationResponse } = await loadVerifier();
  const { id, response, transports } = credential;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      response: {
        ...Object.fromEntries(response) as unknown as RegistrationResponseJSON["response"],
        attestationObject,
      },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: [...origin],
    expectedRPID: rpId,
    requireUserPresence: !automatic,
    // Told apart below.
    requireUserVerification: false,
    supportedAlgorithmIDs: [...ALGORITHMS],
  });
  if (!verified) throw new Error("The registration does not verify");
  const { credential: { publicKey, counter }, credentialDeviceType, credentialBackedUp, aaguid } =
    registrationInfo;
  const { userVerified } = registrationInfo;
  if (!automatic) assertVerified(config, userVerified);
  return {
    id,
    publicKey: toBase64Url(publicKey),
    counter,
    transports,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
    aaguid,
    userVerified,
  };
}
