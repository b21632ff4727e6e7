/** What the prefix of a cookie's name obliges it to (RFC 6265bis, 4.1.3). Browsers compare it without case. */
export interface CookieNameRules {
  /** The prefix; empty for an ordinary name. */
  prefix: string;
  /** Must have Secure. */
  secure: boolean;
  /** Must have Path=/ and no Domain. */
  hostOnly: boolean;
  /** Must have HttpOnly. */
  httpOnly: boolean;
}

/** The rules of a cookie's name. */
export function cookieNameRules(name: string): CookieNameRules {
  const prefix = /^__(?:Host-Http|Host|Secure|Http)-/i.exec(name)?.[0] ?? "";
  return {
    prefix,
    secure: prefix !== "",
    hostOnly: /^__Host-/i.test(prefix),
    httpOnly: /Http-$/i.test(prefix),
  };
}

/** True for a token (RFC 9110, 5.6.2), the grammar of a cookie's name. */
export function isCookieName(name: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/.test(name);
}
