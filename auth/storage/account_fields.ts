import type { Fields } from "./fields.ts";
import { isText, isTextOrNull, isTime, isTimeOrNull } from "./rows.ts";
import type { AccountRecord } from "./storage.ts";

/** An account as a row of `accounts`. */
export const ACCOUNT: Fields<AccountRecord> = {
  provider: isText,
  providerAccountId: isText,
  userId: isText,
  type: isText,
  accessToken: isTextOrNull,
  refreshToken: isTextOrNull,
  expiresAt: isTimeOrNull,
  tokenType: isTextOrNull,
  scope: isTextOrNull,
  createdAt: isTime,
  updatedAt: isTime,
  email: isTextOrNull,
};
