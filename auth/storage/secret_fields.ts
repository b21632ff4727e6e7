import type { Fields } from "./fields.ts";
import { isText, isTextOrNull, isTime } from "./rows.ts";
import type { StoredSecret } from "./secret_storage.ts";

/** A one-time secret as a row of `verifications`. */
export const SECRET: Fields<StoredSecret> = {
  purpose: isText,
  hash: isText,
  identifier: isTextOrNull,
  userId: isTextOrNull,
  payload: isTextOrNull,
  createdAt: isTime,
  expiresAt: isTime,
  attempts: isTime,
  sentTo: isTextOrNull,
  sessionId: isTextOrNull,
};
