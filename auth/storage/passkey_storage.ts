import type { AddWayOptions, RemoveWayOptions } from "./linked_account_storage.ts";
import type { PreparedPasskey } from "./storage.ts";

/** A passkey as it is stored (WebAuthn Level 3, 4, "credential record"). */
export interface PasskeyRecord {
  /** The credential id, base64url. */
  id: string;
  /** Who signs in with it. */
  userId: string;
  /** What the authenticator calls the user, base64url. */
  userHandle: string;
  /** The public key as COSE, base64url. */
  publicKey: string;
  /** How many times the authenticator says that it has signed; 0 from one that does not count. */
  counter: number;
  /** How the authenticator can be reached. */
  transports: string[];
  /** Whether it can be copied to other devices. */
  deviceType: "singleDevice" | "multiDevice";
  /** Whether it has been copied, when it was used last. */
  backedUp: boolean;
  /** What its owner calls it; null for nothing. */
  name: string | null;
  /** When it was made, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last used, in milliseconds since 1970; null for never. */
  lastUsedAt: number | null;
}

/** What a use of a passkey changes. */
export interface AdvancePasskeyOptions {
  /** The counter that was read; another value in the meantime means that somebody was faster. */
  from: number;
  /** The counter that the authenticator says. */
  to: number;
  /** Whether it has been copied to other devices. */
  backedUp: boolean;
  /** Now, in milliseconds since 1970. */
  at: number;
}

/** The part of the port that keeps passkeys. */
export interface PasskeyStorage {
  /** Makes a passkey ready to be stored together with a sign-in, see `SaveUserOptions`. */
  preparePasskey(passkey: PasskeyRecord): PreparedPasskey;
  /** Stores a passkey; false, and nothing stored, when the id is taken or the user cannot have one. */
  insertPasskey(passkey: PasskeyRecord, options?: AddWayOptions): Promise<boolean>;
  /** The passkey; null when there is none. */
  getPasskey(id: string): Promise<PasskeyRecord | null>;
  /** The passkeys of a user, the oldest first. */
  listPasskeys(userId: string): Promise<PasskeyRecord[]>;
  /** Names a passkey of this user; false when the user has no such passkey. */
  renamePasskey(userId: string, id: string, name: string | null): Promise<boolean>;
  /** Stores a use of a passkey; false when it is gone or its counter is no longer `from`. */
  advancePasskey(id: string, options: AdvancePasskeyOptions): Promise<boolean>;
  /**
   * Removes a passkey of this user and of no other. With `lastWayIn` it is "last", and stays, when no
   * other passkey and no account remains, also when several are removed at once.
   */
  deletePasskey(
    userId: string,
    id: string,
    options: RemoveWayOptions,
  ): Promise<"deleted" | "absent" | "last">;
}
