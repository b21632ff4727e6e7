import type { User } from "../users/user.ts";
import { type Moved, userOfClaims } from "./jwt_claims.ts";
import type { JWT } from "./session.ts";

/** A session as its token tells it. */
export interface OpenSession {
  /** The claims. */
  claims: JWT;
  /** Whose it is. */
  user: User;
  /** When it began, in milliseconds. */
  startedAt: number;
  /** When it ends, in milliseconds. */
  expiresAt: number;
  /** Id of the tenant that it was made in. */
  tenantId: string | undefined;
  /** Whether its token was exchanged for one in a cookie that can be planted. */
  moved: Moved | undefined;
}

/** What claims are held against. */
export interface ReadClaimsOptions {
  /** What `aud` must be. */
  audience: string;
  /** Milliseconds from the sign-in to the end for good. */
  absoluteMaxAge: number;
  /** The present moment, in milliseconds. */
  now: number;
}

/** By how many seconds the clocks of two servers of one application may differ. */
export const MAX_SKEW = 60;
const MAX_ID = 255;
// The last moment that a Date can hold (ECMA-262, 21.4.1.1), in seconds.
const MAX_TIME = 8.64e12;

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_ID;
}

function isMoment(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MAX_TIME;
}

/**
 * Reads the session in the claims of an opened token. Null when they are no session's: every claim on
 * which a session rests must be there with its type, since a comparison with anything else says nothing.
 */
export function readSessionClaims(
  claims: Record<string, unknown>,
  options: ReadClaimsOptions,
): OpenSession | "expired" | null {
  const { audience, absoluteMaxAge, now } = options;
  const { sub, iat, exp, jti, aud, auth_time: authTime, nbf, tenant, moved_host: moved } = claims;
  if (!isId(sub) || !isId(jti) || aud !== audience) return null;
  if (!isMoment(iat) || !isMoment(exp) || !isMoment(authTime) || !Number.isInteger(exp)) {
    return null;
  }
  if (tenant !== undefined && !isId(tenant)) return null;
  if (moved !== undefined && moved !== 0 && moved !== 1) return null;
  const latest = now / 1000 + MAX_SKEW;
  // Written so that a clock that tells no number lets nobody in.
  if (!(iat <= latest)) return null;
  if (nbf !== undefined && !(isMoment(nbf) && nbf <= latest)) return null;
  const token = claims as JWT;
  const user = userOfClaims(token);
  if (user === null) return null;
  const startedAt = Math.round(authTime * 1000);
  const expiresAt = Math.min(exp * 1000, startedAt + absoluteMaxAge);
  return expiresAt > now
    ? { claims: token, user, startedAt, expiresAt, tenantId: tenant, moved }
    : "expired";
}
