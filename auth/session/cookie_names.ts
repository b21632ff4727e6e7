/** What the prefix of a cookie's name obliges it to (RFC 6265bis, 4.1.3). Browsers compare it without case. */
export interface CookieNameRules {
  /** The prefix as the standard writes it; null for an ordinary name. */
  prefix: string | null;
  /** Must have Secure. */
  secure: boolean;
  /** Must have Path=/ and no Domain. */
  hostOnly: boolean;
  /** Must have HttpOnly. */
  httpOnly: boolean;
}

const RULES: readonly (CookieNameRules & { prefix: string })[] = [
  { prefix: "__Host-Http-", secure: true, hostOnly: true, httpOnly: true },
  { prefix: "__Host-", secure: true, hostOnly: true, httpOnly: false },
  { prefix: "__Secure-", secure: true, hostOnly: false, httpOnly: false },
  { prefix: "__Http-", secure: true, hostOnly: false, httpOnly: true },
];

const ORDINARY: CookieNameRules = { prefix: null, secure: false, hostOnly: false, httpOnly: false };

/** The rules of a cookie's name. */
export function cookieNameRules(name: string): CookieNameRules {
  const lower = name.toLowerCase();
  return RULES.find((rule) => lower.startsWith(rule.prefix.toLowerCase())) ?? ORDINARY;
}

/** True for a token (RFC 9110, 5.6.2), the grammar of a cookie's name. */
export function isCookieName(name: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/.test(name);
}
