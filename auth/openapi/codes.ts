/**
 * Statuses of the error codes that endpoints answer.
 *
 * @module
 */

/** Codes that any endpoint may answer, by status. */
const COMMON: Readonly<Record<number, readonly string[]>> = {
  400: ["BAD_REQUEST"],
  401: ["API_KEY_INVALID", "SESSION_UNBOUND"],
  403: ["CROSS_SITE_REQUEST", "API_KEY_REFUSED", "FORBIDDEN"],
  404: ["TENANT_NOT_FOUND"],
  413: ["PAYLOAD_TOO_LARGE"],
  415: ["UNSUPPORTED_MEDIA_TYPE"],
  421: ["HOST_NOT_ALLOWED"],
  429: ["RATE_LIMITED"],
  500: ["INTERNAL_ERROR", "CONFIGURATION"],
  503: ["STORAGE_UNAVAILABLE", "OVERLOADED"],
};

/** Codes of single endpoints, by status. */
const OWN: Readonly<Record<number, readonly string[]>> = {
  400: [
    "INVALID_CODE",
    "INVALID_EMAIL",
    "INVALID_IMAGE",
    "INVALID_INVITATION",
    "INVALID_LINK",
    "INVALID_NAME",
    "INVALID_PASSWORD",
    "INVALID_TENANT",
    "OAUTH_STATE_EXPIRED",
    "OAUTH_STATE_MISSING",
    "OAUTH_STATE_UNKNOWN",
    "OTHER_BROWSER",
    "PASSKEY_EXPIRED",
    "PASSKEY_NOT_ADDED",
  ],
  401: [
    "INVALID_CREDENTIALS",
    "PASSKEY_REFUSED",
    "PASSKEY_UNKNOWN",
    "PASSKEY_UNVERIFIED",
    "REAUTHENTICATION_REQUIRED",
    "SECOND_FACTOR_OVER",
    "SECOND_FACTOR_REQUIRED",
    "SECOND_FACTOR_TRIES_OVER",
    "SECOND_FACTOR_WRONG",
    "UNAUTHENTICATED",
  ],
  403: [
    "ACCESS_DENIED",
    "ACCOUNT_NOT_LINKED",
    "OAUTH_DENIED",
    "OAUTH_LINK_SESSION",
    "OAUTH_STATE_FOREIGN",
    "SECOND_FACTOR_RECOVERY_REFUSED",
    "SECOND_FACTOR_UNPROVED_EMAIL",
    "USER_UNAVAILABLE",
  ],
  404: ["NOT_FOUND"],
  405: ["METHOD_NOT_ALLOWED"],
  409: [
    "ACCOUNT_TAKEN",
    "LAST_OWNER",
    "LAST_WAY_IN",
    "SECOND_FACTOR_CHANGED",
    "SECOND_FACTOR_RECOVERY_EARLY",
    "TENANT_EXISTS",
    "USER_CHANGED",
    "USER_EXISTS",
  ],
  429: ["SECOND_FACTOR_CLOSED"],
  502: ["OAUTH_PROFILE_INVALID", "OAUTH_PROVIDER_ERROR", "OAUTH_RESPONSE_INVALID"],
  503: ["EMAIL_NOT_SENT", "OAUTH_UNAVAILABLE"],
};

const STATUSES: ReadonlyMap<string, number> = new Map(
  [COMMON, OWN].flatMap((table) =>
    Object.entries(table).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)] as const)
    )
  ),
);

/**
 * Groups the codes of an endpoint by status, each status with what any endpoint may answer with it.
 *
 * @throws {TypeError} For a code without a status.
 */
export function byStatus(codes: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const grouped = new Map<number, Set<string>>();
  for (const code of codes) {
    const status = STATUSES.get(code);
    if (status === undefined) throw new TypeError(`Cannot describe the error ${code}`);
    const found = grouped.get(status) ?? new Set(COMMON[status]);
    grouped.set(status, found.add(code));
  }
  return new Map([...grouped].toSorted().map(([status, found]) => [status, [...found].toSorted()]));
}
