import type {
  AccountRecord,
  ActivityRecord,
  NewSessionRecord,
  OpenWays,
  PasskeyRecord,
  SecretRecord,
  User,
  UserRecord,
} from "@framework/auth/storage";

/** Time at which everything in the cases happens. */
export const NOW: number = Date.UTC(2026, 0, 1);
/** Milliseconds. */
export const HOUR: number = 60 * 60 * 1000;

/** Later than every moment: credentials that count from here on never do. */
export const NEVER = 8.64e15;

/** Ways that an application opens in the cases: accounts of three providers, and passkeys. */
export const WAYS: OpenWays = {
  accounts: ["code", "chat", "mail"],
  passkeys: true,
  mailbox: false,
  passwords: false,
};

/** A user to be stored, whose mailbox is the lower-case address. */
export function record(user: User, at: number = NOW): UserRecord {
  return { user, emailIdentity: user.email?.toLowerCase() ?? null, at };
}

/** A user whose address a provider said whose word is not taken: without what identifies a mailbox. */
export function keptRecord(user: User, at: number = NOW): UserRecord {
  return { user, emailIdentity: null, at };
}

/** A session to be stored, of one hour. */
export function session(
  id: string,
  userId: string,
  changes: Partial<NewSessionRecord> = {},
): NewSessionRecord {
  return {
    id,
    userId,
    tokenHash: `hash-of-${id}`,
    userAgent: "Test/1.0",
    createdAt: NOW,
    authenticatedAt: NOW,
    refreshedAt: NOW,
    expiresAt: NOW + HOUR,
    ...changes,
  };
}

/** A one-time secret for the purpose "email", of one hour, about nothing. */
export function secret<Changes extends Partial<SecretRecord>>(
  hash: string,
  changes: Changes = {} as Changes,
): SecretRecord & Changes {
  return {
    purpose: "email",
    hash,
    identifier: null,
    userId: null,
    payload: null,
    createdAt: NOW,
    expiresAt: NOW + HOUR,
    ...changes,
  };
}

/** An account of a user at a provider, without tokens. */
export function account(
  provider: string,
  userId: string,
  changes: Partial<AccountRecord> = {},
): AccountRecord {
  return {
    provider,
    providerAccountId: `id-of-${userId}`,
    userId,
    type: "oauth",
    accessToken: null,
    refreshToken: null,
    expiresAt: null,
    tokenType: null,
    scope: null,
    createdAt: NOW,
    updatedAt: NOW,
    email: null,
    ...changes,
  };
}

/** A passkey of a user. */
export function passkey(
  id: string,
  userId: string,
  changes: Partial<PasskeyRecord> = {},
): PasskeyRecord {
  return {
    id,
    userId,
    userHandle: `handle-of-${userId}`,
    publicKey: "a2V5",
    counter: 0,
    transports: [],
    deviceType: "singleDevice",
    backedUp: false,
    name: null,
    createdAt: NOW,
    lastUsedAt: null,
    ...changes,
  };
}

/** Account activity: a sign-in without further details. */
export function activity(
  id: string,
  userId: string,
  changes: Partial<ActivityRecord> = {},
): ActivityRecord {
  return {
    id,
    userId,
    type: "sign-in",
    provider: null,
    device: null,
    network: null,
    at: NOW,
    ...changes,
  };
}
