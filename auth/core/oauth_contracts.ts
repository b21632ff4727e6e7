/**
 * Contracts between OAuth sign-ins and the parts that store or link what they prove.
 *
 * @module
 */

import type { AccountRecord, AccountTokens, UserRecord } from "../storage/records.ts";
import type { Storage } from "../storage/storage.ts";
import type { Profile } from "../types/callbacks.ts";

/** Tokens that a provider issues to act for a user. */
export interface OAuthTokens {
  /** Access token for the user's data at the provider. */
  accessToken: string;
  /** Refresh token; null when there will be none. */
  refreshToken: string | null;
  /** Expiry of the access token, in milliseconds since 1970; null when the provider does not say. */
  expiresAt: number | null;
  /** Scope of the access token; null when the provider does not say. */
  scope: string | null;
  /** ID token; null when none was asked for. */
  idToken: string | null;
}

/** Key of the account that a token belongs to. */
export type AccountKey = Pick<AccountRecord, "provider" | "providerAccountId">;

/** Turns the tokens of a sign-in into those that the database stores. */
export type KeepTokens = (
  tokens: OAuthTokens,
  key: AccountKey,
  settings: { secrets: readonly string[] },
) => Promise<AccountTokens>;

/** User and session to link an account to. */
export interface LinkIntent {
  /** Id of the user who asked for it. */
  userId: string;
  /** Public id of the session in which they asked. */
  sessionId: string;
}

/** A sign-in that is under way at a provider. */
export interface Transaction {
  /** Address that the visitor asked for; null for none. */
  callbackUrl: string | null;
  /** For a signed-in user who links an account; null for a sign-in. */
  link: LinkIntent | null;
  /** Start, in milliseconds since 1970. */
  begunAt: number;
}

/** The part of a provider that names it. */
export interface NamedProvider {
  /** Id in addresses. */
  id: string;
}

/** The settings that a {@linkcode TransactionStore} uses. */
export interface TransactionSettings {
  /** Secrets, the first of which seals. */
  secrets: readonly string[];
  /** Users and sessions. */
  storage: Storage;
  /** The clock. */
  now: () => number;
}

/** Stores the pending OAuth transaction until the callback. */
export interface TransactionStore {
  /** Stores it. The result, unless null, waits in the browser together with the secret. */
  keep(
    begun: BegunTransaction,
    provider: NamedProvider,
    settings: TransactionSettings,
  ): Promise<string | null>;
  /**
   * Takes it, once where the store can tell.
   *
   * @throws {OAuthError} When there is none, or it is another browser's.
   */
  take(
    waiting: WaitingTransaction,
    provider: NamedProvider,
    settings: TransactionSettings,
  ): Promise<string>;
}

/** A transaction that begins. */
export interface BegunTransaction {
  /** The `state` by which the provider's answer will name it. */
  state: string;
  /** Content, as text. */
  payload: string;
  /** Id of the user who links an account; null for a sign-in. */
  userId: string | null;
  /** Start, in milliseconds since 1970. */
  begunAt: number;
  /** Moment from which it may be forgotten, in milliseconds since 1970. */
  endsAt: number;
}

/** A transaction that a provider's answer names. */
export interface WaitingTransaction {
  /** The `state` of the answer. */
  state: string;
  /** True when this browser has its secret. */
  isOurs: boolean;
  /** Text that waited in the browser together with the secret. */
  beside: string;
}

/** Identity proven by a provider. */
export interface ProvenAtProvider {
  /** The provider: its id, the kind of its accounts, and whether its verified addresses are believed. */
  client: NamedProvider & { type: "oauth" | "oidc"; trustEmail: boolean };
  /** The sign-in as it began. */
  transaction: Transaction;
  /** Tokens of this sign-in. */
  tokens: OAuthTokens;
  /** Profile as the provider gives it. */
  profile: Profile;
  /** The same as a user of this library, whose id is the one at the provider. */
  said: UserRecord;
}
