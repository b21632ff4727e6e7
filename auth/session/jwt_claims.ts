import type { User } from "../users/user.ts";
import type { JWT } from "./session.ts";

/** The claims on which a session rests; no callback changes them. */
export interface SessionClaims extends JWT {
  /** The name of the session cookie: a token for another cookie under the same secret is none for this one. */
  aud: string;
  /** The moment of the sign-in, in seconds since 1970, with three decimals. */
  "auth_time": number;
  /** Id of the tenant that it was made in. */
  tenant?: string;
  /**
   * It was exchanged for a token in a cookie without the prefix `__Host-`, so that nobody knows who signed
   * in. 1: that token is still to be ended.
   */
  "moved_host"?: Moved;
}

/** 0 when nothing is left to do. */
export type Moved = 0 | 1;

/** The names of those claims. */
export const SESSION_CLAIMS: readonly string[] = [
  "sub",
  "iat",
  "exp",
  "jti",
  "aud",
  "auth_time",
  "tenant",
  "moved_host",
];

const USER_CLAIMS = ["email", "name", "image", "emailVerified", "role", "roles"];

/** What a token says about a user; what is not known takes no room. */
export function claimsOfUser(user: User): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const name of ["email", "name", "image", "role"] as const) {
    if (user[name] !== undefined && user[name] !== null) claims[name] = user[name];
  }
  if (user.emailVerified) claims.emailVerified = user.emailVerified.getTime();
  if (user.roles !== undefined && user.roles.length > 0) claims.roles = [...user.roles];
  return claims;
}

/** The claims of the application: all that the library did not put there. */
export function customClaims(claims: JWT): Record<string, unknown> {
  const own = Object.entries(claims).filter(([name]) =>
    !SESSION_CLAIMS.includes(name) && !USER_CLAIMS.includes(name)
  );
  // Not by assignment: a claim may be named "__proto__".
  return Object.fromEntries(own);
}

function isTextOrNothing(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The user of a token; null when a claim about the user has the wrong type. */
export function userOfClaims(claims: JWT): User | null {
  const { sub, email, name, image, emailVerified, role, roles } = claims;
  if (!isTextOrNothing(email) || !isTextOrNothing(name) || !isTextOrNothing(image)) return null;
  if (!isTextOrNothing(role)) return null;
  if (roles !== undefined && roles !== null && !isTextList(roles)) return null;
  const verified = emailVerified ?? null;
  if (verified !== null && !Number.isSafeInteger(verified)) return null;
  const user: User = {
    id: sub,
    email: email ?? null,
    name: name ?? null,
    image: image ?? null,
    emailVerified: verified === null ? null : new Date(verified as number),
  };
  if (typeof role === "string") user.role = role;
  if (roles !== undefined && roles !== null && roles.length > 0) user.roles = [...roles];
  return user;
}
