import { RequestError } from "../errors/request_errors.ts";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";

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
 * @throws {RequestError} When it is too long.
 */
export function readPasskeyName(sent: string | undefined): string | null {
  const name = sent?.toWellFormed().replaceAll("\0", "").trim() ?? "";
  if (name.length > MAX_NAME) throw new RequestError(`A name has at most ${MAX_NAME} characters`);
  return name === "" ? null : name;
}
