import { RequestError } from "../errors/request_errors.ts";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { isStorable } from "../config/stored_text.ts";

const MAX_NAME = 64;

/** A passkey as its owner sees it. */
export interface UserPasskey
  extends Pick<PasskeyRecord, "id" | "name" | "deviceType" | "backedUp" | "transports"> {
  /** When it was added. */
  createdAt: Date;
  /** When it was last used; null for never. */
  lastUsedAt: Date | null;
}

/** What its owner is told of a passkey. */
export function describePasskey(passkey: PasskeyRecord): UserPasskey {
  const { id, name, deviceType, backedUp, transports, createdAt, lastUsedAt } = passkey;
  return {
    id,
    name,
    deviceType,
    backedUp,
    transports,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  };
}

/**
 * What an owner calls a passkey; nothing for an empty name.
 *
 * @throws {RequestError} When it is too long, or no plain text.
 */
export function readPasskeyName(sent: string | undefined): string | null {
  const name = sent?.trim() ?? "";
  if (isStorable(name, MAX_NAME)) return name === "" ? null : name;
  throw new RequestError(`A name has at most ${MAX_NAME} characters, and no control characters`);
}
