/**
 * The challenge of a WebAuthn ceremony, with its options and the relying party.
 *
 * @module
 */

import type { EndpointContext, EndpointEntry, RequestStore } from "../../core/contracts.ts";
import { readSecretCookie, writeHostCookie } from "../../session/cookie.ts";
import { PasskeyError } from "../../errors.ts";
import { isLoopbackHost } from "../../lib/ip_address.ts";
import { wrongOption } from "../../lib/options.ts";
import { createSecret, hashSecret, isSecret } from "../../lib/secret.ts";
import { lookOf } from "../../pages/frame.ts";
import type { PasskeyRecord } from "../../storage/passkeys.ts";
import { secretGroup, type StoredSecret } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { User } from "../../types/user.ts";
import { ALGORITHMS } from "./credential.ts";
import type { PasskeyMails } from "./mails.ts";

/** Options for `passkey()`. */
export interface PasskeyConfig {
  /** Its name in addresses. Default "passkey". */
  id?: string;
  /** Its name on the sign-in page. Default "Passkey". */
  name?: string;
  /** Name of the application that the browser shows. Default: the name of the theme, else the domain. */
  rpName?: string;
  /**
   * The domain that the passkeys belong to: the host of `origin`, or a domain above it. Passkeys work on no
   * other one, so it cannot be changed later. Default: the host of the own address, see `baseUrl`.
   */
  rpId?: string | undefined;
  /**
   * The origin of the pages that ask for passkeys, or all of them. https, or any on localhost. Default: the
   * own address of the application, see `baseUrl`.
   */
  origin?: string | string[];
  /**
   * Origins of other domains on which the same passkeys are used, such as "https://app.de": https, at most five. A passkey
   * is accepted from there, and nothing else is. The domain itself must answer `/.well-known/webauthn`, see
   * `relatedOriginsResponse()`; it needs `rpId`. Default: none.
   */
  relatedOrigins?: string[];
  /** Only passkeys of this device, or only those of another one. Default: both. */
  authenticatorAttachment?: "platform" | "cross-platform";
  /**
   * User verification by PIN, fingerprint or face. "required" refuses a passkey without it. Default
   * "preferred".
   */
  userVerification?: "required" | "preferred" | "discouraged";
  /**
   * Discoverable credentials, which a sign-in without a user name needs. A passkey that is not
   * discoverable only reauthenticates a user who is signed in, and an authenticator's word on that is not signed: with
   * anything but "required" passkeys do not count as a way in that remains when another one is removed. A passkey that
   * makes an account (`signUp`) is always discoverable. Default "required".
   */
  residentKey?: "required" | "preferred" | "discouraged";
  /** Lets visitors create an account with a passkey alone. Default false. */
  signUp?: boolean;
  /**
   * Lets password managers make a passkey by themselves after a sign-in with a password: `automaticPasskeys()`. Default:
   * none is made.
   */
  automatic?: AutomaticPasskeys;
  /** Tells owners by mail of passkeys that are added and removed: `passkeyMails()`. Default: nobody is told. */
  mails?: PasskeyMails;
}

/** Passkeys that are made by themselves, as a value: applications bundle them only when they import them. */
export interface AutomaticPasskeys {
  /** Tells it from other values. */
  readonly kind: "automatic-passkeys";
  /**
   * Endpoints of the passkeys, which only the library makes.
   *
   * @internal
   */
  endpoints(config: CheckedPasskey): readonly EndpointEntry[];
  /**
   * Offers a passkey to the session that a password has just begun.
   *
   * @internal
   */
  offer(store: RequestStore, userId: string): Promise<void>;
  /**
   * Tells the owner of a passkey that was made.
   *
   * @internal
   */
  tell(store: RequestStore, passkey: PasskeyRecord): Promise<void>;
}

/** The configuration of a passkey provider, checked and complete. */
export interface CheckedPasskey extends
  Omit<
    Required<PasskeyConfig>,
    "origin" | "authenticatorAttachment" | "rpId" | "rpName" | "automatic" | "mails"
  > {
  /** Null for the host of the own address. */
  rpId: string | null;
  /** Null for the name of the theme, else the domain. */
  rpName: string | null;
  /** At least one; null for the own address. */
  origin: readonly string[] | null;
  /** Null for both. */
  authenticatorAttachment: "platform" | "cross-platform" | null;
  /** Null for none. */
  automatic: AutomaticPasskeys | null;
  /** Null for none. */
  mails: PasskeyMails | null;
}

/** Expected values for the verification of a response. */
export interface RelyingParty extends Pick<CheckedPasskey, "userVerification"> {
  /** The domain. */
  rpId: string;
  /** The origins from which it may come. */
  origin: readonly string[];
}

/** Values that the browser is told, too. */
export interface NamedParty extends RelyingParty {
  /** Name of the application. */
  rpName: string;
}

const DOMAIN =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

function parse(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/**
 * Checks the option `rpId`: a domain in the form in which browsers write it. No address of a machine can be
 * one (WebAuthn Level 3, 5.1.3 step 7), nor can a top-level domain, which everybody shares.
 *
 * @throws {ConfigurationError} When it is not.
 */
export function readRpId(value: unknown): string {
  const isDomain = typeof value === "string" && DOMAIN.test(value) &&
    parse(`https://${value}/`)?.hostname === value && !/^[\d.]+$/.test(value) &&
    (value.includes(".") || value === "localhost");
  if (!isDomain) {
    throw wrongOption(
      "rpId",
      value,
      'a domain in lower case, such as "app.example", and no address',
    );
  }
  return value;
}

function readOrigin(value: unknown, rpId: string): string {
  const url = typeof value === "string" ? parse(value) : null;
  if (url === null || url.origin !== value) {
    throw wrongOption("origin", value, 'an origin as browsers write it: "https://app.example"');
  }
  const { hostname, protocol } = url;
  if (protocol !== "https:" && !(protocol === "http:" && isLoopbackHost(hostname))) {
    throw wrongOption(
      "origin",
      value,
      "an origin with https; browsers take http only on localhost",
    );
  }
  if (hostname !== rpId && !hostname.endsWith(`.${rpId}`)) {
    throw wrongOption(
      "origin",
      value,
      `an origin whose host is "${rpId}" or below it, or another rpId`,
    );
  }
  return value as string;
}

/**
 * Checks the option `origin` against the domain.
 *
 * @throws {ConfigurationError} When one of them is no origin, or the domain is not its own.
 */
export function readOrigins(value: unknown, rpId: string): string[] {
  const origins = Array.isArray(value) ? value : [value];
  if (origins.length === 0) throw wrongOption("origin", value, "at least one origin");
  return origins.map((origin) => readOrigin(origin, rpId));
}

/** The relying party of a request: what is not configured is of the own address, and the name of the theme. */
export function relyingParty(
  config: CheckedPasskey,
  store: Pick<RequestStore, "auth" | "request">,
): NamedParty {
  const { userVerification } = config;
  const { auth } = store;
  const domain = config.rpId ?? new URL(auth.origin()).hostname;
  return {
    rpId: domain,
    rpName: config.rpName ?? lookOf(store).name ?? domain,
    userVerification,
    origin: [...config.origin ?? [auth.origin()], ...config.relatedOrigins],
  };
}

/** The user as authenticators and their lists name them. */
export function accountName(
  { email, name }: Pick<User, "email" | "name">,
  { rpName }: NamedParty,
): { name: string; displayName: string } {
  const account = email ?? name ?? rpName;
  return { name: account, displayName: name ?? account };
}

type Known = Pick<PasskeyRecord, "id" | "transports">;

function descriptors(passkeys: readonly Known[]): object[] {
  return passkeys.map(({ id, transports }) => ({ type: "public-key", id, transports }));
}

/** Argument for `parseCreationOptionsFromJSON()` in a browser (WebAuthn Level 3, 5.1.9). */
export function creationOptions(
  { authenticatorAttachment, residentKey, userVerification }: CheckedPasskey,
  challenge: string,
  { user, exclude, party: { rpId, rpName } }: {
    user: { id: string; name: string; displayName: string };
    exclude: readonly Known[];
    party: NamedParty;
  },
): object {
  return {
    rp: { id: rpId, name: rpName },
    user,
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_LIFETIME,
    excludeCredentials: descriptors(exclude),
    authenticatorSelection: {
      ...(authenticatorAttachment !== null && { authenticatorAttachment }),
      residentKey,
      requireResidentKey: residentKey === "required",
      userVerification,
    },
    attestation: "none",
    extensions: { credProps: true },
  };
}

/** Argument for `parseRequestOptionsFromJSON()` in a browser (WebAuthn Level 3, 5.1.10). */
export function requestOptions(
  { rpId, userVerification }: RelyingParty,
  challenge: string,
  allow: readonly Known[],
): object {
  return {
    rpId,
    challenge,
    timeout: CHALLENGE_LIFETIME,
    allowCredentials: descriptors(allow),
    userVerification,
  };
}

/** The ceremonies. A challenge of one is none of the other. */
export type Ceremony = "passkey-register" | "passkey-authenticate";

/** Purpose of a challenge. */
export interface ChallengePurpose {
  /** Ceremony that the challenge belongs to. */
  ceremony: Ceremony;
  /** Id of the passkey's user; null before anyone is known. */
  userId: string | null;
  /** Data for the end of the ceremony; null for none. */
  payload: string | null;
}

/** Lifetime of a challenge in milliseconds. ASVS 6.7.2 asks for a challenge that expires. */
const CHALLENGE_LIFETIME: number = 300_000;

// One for each tab in which somebody may be about to sign in.
const MAX_OPEN = 10;

const COOKIE = "framework.passkey";

/** The secret that tells this browser from all others, if it has one. */
function browserSecret({ store }: EndpointContext): string | null {
  return readSecretCookie(store, COOKIE);
}

function rememberBrowser(context: EndpointContext): string {
  const value = browserSecret(context) ?? createSecret();
  const cookie = { name: COOKIE, value, maxAge: CHALLENGE_LIFETIME / 1000 };
  writeHostCookie(context.store, cookie, "strict");
  return value;
}

/** Makes a challenge that only this browser can answer, once. */
export async function issueChallenge(
  context: EndpointContext,
  { ceremony, userId, payload }: ChallengePurpose,
): Promise<string> {
  const { settings } = context.store.auth;
  const challenge = createSecret();
  const at = settings.now();
  await groupOf(settings.storage, sentSecretGroup).putNewestSecret({
    purpose: ceremony,
    hash: await hashSecret(challenge),
    identifier: await hashSecret(rememberBrowser(context)),
    userId,
    payload,
    createdAt: at,
    expiresAt: at + CHALLENGE_LIFETIME,
  }, { keep: MAX_OPEN });
  return challenge;
}

/**
 * Takes a challenge: of any number of answers at once one gets it, and it is gone whatever becomes of that
 * answer.
 *
 * @throws {PasskeyError} `PASSKEY_EXPIRED`, when it is not there for this browser and this ceremony.
 */
export async function takeChallenge(
  context: EndpointContext,
  ceremony: Ceremony,
  challenge: string,
): Promise<StoredSecret> {
  const { settings } = context.store.auth;
  const browser = browserSecret(context);
  const taken = browser === null || !isSecret(challenge)
    ? null
    : await groupOf(settings.storage, secretGroup).takeSecret(
      ceremony,
      await hashSecret(challenge),
      {
        now: settings.now(),
        identifier: await hashSecret(browser),
      },
    );
  if (taken === null) throw new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" });
  return taken;
}
