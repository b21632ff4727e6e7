/**
 * Tokens of sessions: claims, signature, and the jwt callback.
 *
 * @module
 */

import type { SessionTimes } from "../core/session_strategy.ts";
import { ConfigurationError, SessionTooLargeError } from "../errors.ts";
import { encodeText, fromBase64UrlText, toBase64Url } from "../lib/encoding.ts";
import type { TextKey } from "../lib/hash.ts";
import { describe, isOptions } from "../lib/options.ts";
import type { AuthCallbacks, JwtParams } from "../types/callbacks.ts";
import type { JWT, ValidSession } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { MAX_TOKEN_LENGTH } from "./cookie.ts";

/** The claims on which a session rests; no callback changes them. */
interface SessionClaims extends JWT {
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
  /** Id of the session whose token this one replaces: it is still to be ended. */
  "replaced_jti"?: string;
}

/** 0 when nothing is left to do. */
type Moved = 0 | 1;

/** The names of those claims. */
const SESSION_CLAIMS: readonly string[] = [
  "sub",
  "iat",
  "exp",
  "jti",
  "aud",
  "auth_time",
  "tenant",
  "moved_host",
  "replaced_jti",
];

const USER_CLAIMS = ["email", "name", "image", "emailVerified", "role", "roles"];

/** Claims about a user; unknown values are omitted. */
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
function userOfClaims(claims: JWT): User | null {
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

function encodeHeader(): string {
  return `${toBase64Url(encodeText('{"alg":"HS256","typ":"session+jwt"}'))}.`;
}

/** The one header that there is: nothing in it is ever read, so nothing in it can mislead. */
const HEADER = /* @__PURE__ */ encodeHeader();
const SIGNATURE_LENGTH = 43;

/** Claims of a token. */
export type TokenClaims = Record<string, unknown>;

/** Signs and opens tokens: JSON Web Tokens in compact form (RFC 7515, RFC 7519), by HS256. */
interface TokenSigner {
  /** The token with these claims, signed with the first key. */
  sign(claims: object): string | Promise<string>;
  /**
   * Hands on the claims of a token that one of the keys has signed, else null, and gives what comes of
   * them: at once where the keys answer at once. It never throws by itself.
   */
  open<T>(token: string, read: (claims: TokenClaims | null) => T | Promise<T>): T | Promise<T>;
}

function parseClaims(payload: string): TokenClaims | null {
  const text = fromBase64UrlText(payload);
  if (text === null) return null;
  try {
    const claims: unknown = JSON.parse(text);
    return typeof claims === "object" && claims !== null && !Array.isArray(claims)
      ? claims as TokenClaims
      : null;
  } catch {
    return null;
  }
}

/**
 * Makes the signer for some keys.
 *
 * A token is opened by comparing its header with the only right one, and its signature with the one
 * that its text must have: no algorithm is looked up (`none`, RS256, `crit`, `jku` and `kid` are simply other
 * headers), no signature has a second spelling, and nothing is decoded before it is known to be ours.
 *
 * @param keys The first signs, all open.
 */
export function createTokenSigner(keys: readonly TextKey[]): TokenSigner {
  const [first] = keys as [TextKey];

  return {
    sign(claims) {
      const text = HEADER + toBase64Url(encodeText(JSON.stringify(claims)));
      const signature = first.sign(text);
      return typeof signature === "string"
        ? `${text}.${signature}`
        : signature.then((signature) => `${text}.${signature}`);
    },
    open<T>(
      token: string,
      read: (claims: TokenClaims | null) => T | Promise<T>,
    ): T | Promise<T> {
      const end = token.length - SIGNATURE_LENGTH - 1;
      if (token.length > MAX_TOKEN_LENGTH || end <= HEADER.length) return read(null);
      if (!token.startsWith(HEADER) || token[end] !== ".") return read(null);
      const text = token.slice(0, end);
      const signature = token.slice(end + 1);
      let turn = 0;

      function judge(isOurs: boolean): T | Promise<T> {
        if (isOurs) return read(parseClaims(text.slice(HEADER.length)));
        return turn === keys.length ? read(null) : ask();
      }

      function ask(): T | Promise<T> {
        const isOurs = keys[turn++]!.verify(text, signature);
        return typeof isOurs === "boolean" ? judge(isOurs) : isOurs.then(judge);
      }

      return ask();
    },
  };
}

/** Session read from its token. */
export interface OpenSession {
  /** The claims. */
  claims: JWT;
  /** Owner of the session. */
  user: User;
  /** Start of the session, in milliseconds. */
  startedAt: number;
  /** Expiry, in milliseconds. */
  expiresAt: number;
  /** Id of the tenant that it was made in. */
  tenantId: string | undefined;
  /** Set when the token was exchanged for one in a cookie that can be planted. */
  moved: Moved | undefined;
  /** Id of the session whose token this one replaces, and that is still to be ended. */
  replaced: string | undefined;
}

/** Expected values of the claims. */
export interface ReadClaimsOptions {
  /** Expected `aud`. */
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
  const { replaced_jti: replaced } = claims;
  if (!isId(sub) || !isId(jti) || aud !== audience) return null;
  if (!isMoment(iat) || !isMoment(exp) || !isMoment(authTime) || !Number.isInteger(exp)) {
    return null;
  }
  if (tenant !== undefined && !isId(tenant)) return null;
  if (replaced !== undefined && !isId(replaced)) return null;
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
    ? { claims: token, user, startedAt, expiresAt, tenantId: tenant, moved, replaced }
    : "expired";
}

/** The callback's result as it will be read again from the token: what JSON cannot hold shows here, not later. */
function asStored(claims: object): JWT {
  try {
    return JSON.parse(JSON.stringify(claims));
  } catch (cause) {
    throw new ConfigurationError(
      "The jwt callback gave a token that cannot be written as JSON",
      { field: "callbacks.jwt", cause },
    );
  }
}

/**
 * Asks the application for the claims of a token. Those on which the session rests stay as they are: one
 * that is left out is put back, one that was changed is an error, since the application expects something
 * that will not happen.
 *
 * @param session The claims that stay.
 * @throws {ConfigurationError} For a result that is no token, or that changes one of those claims.
 */
async function callJwt(
  jwt: AuthCallbacks["jwt"],
  params: JwtParams,
  session: SessionClaims,
): Promise<JWT> {
  if (jwt === undefined) return { ...params.token, ...session };
  const given: unknown = await jwt(params);
  if (!isOptions(given)) {
    throw new ConfigurationError(
      `The jwt callback gave ${describe(given)}: return the token, with the claims that you add`,
      { field: "callbacks.jwt" },
    );
  }
  for (const name of SESSION_CLAIMS) {
    if (given[name] === undefined || given[name] === session[name]) continue;
    throw new ConfigurationError(
      `The jwt callback changed "${name}", which the library sets: leave it, and add under other names`,
      { field: "callbacks.jwt" },
    );
  }
  return asStored({ ...given, ...session });
}

/** Draft of a token. */
export interface TokenDraft {
  /** Id of the session. */
  id: string;
  /** Start of the session, in milliseconds. */
  startedAt: number;
  /** Id of the user. */
  userId: string;
  /** Id of the tenant that it was made in. */
  tenantId?: string | undefined;
  /** Set when the token is exchanged for one in a cookie that can be planted. */
  moved?: Moved | undefined;
  /** Id of the session whose token this one replaces. */
  replaced?: string | undefined;
  /** The claims other than those on which the session rests. */
  claims: Record<string, unknown>;
  /** Argument of the `jwt` callback, without the token. */
  told: Omit<JwtParams, "token">;
}

/** Dependencies for issuing a token from a draft. */
export interface IssueOptions {
  /** Signs it. */
  signer: TokenSigner;
  /** The name of the session cookie. */
  audience: string;
  /** True when no sibling host can plant the session cookie. */
  hostOnly: boolean;
  /** Lifetimes of sessions. */
  times: SessionTimes;
  /** The application's say in the claims. */
  jwt: AuthCallbacks["jwt"];
  /** The present moment, in milliseconds. */
  now: number;
}

/** State of a session whose token was verified. */
export function stateOfToken(open: OpenSession, token: string, hostOnly: boolean): ValidSession {
  const { claims, user, startedAt, expiresAt, tenantId, moved } = open;
  const state: ValidSession = {
    status: "valid",
    id: claims.jti,
    startedAt,
    authenticatedAt: moved === undefined ? startedAt : 0,
    hostOnly: hostOnly && moved === undefined,
    session: { user, expires: new Date(expiresAt) },
    token,
    renewed: false,
    claims,
  };
  if (tenantId !== undefined) state.tenantId = tenantId;
  return state;
}

/**
 * Makes a token, and of it the session that it opens, read as it will be read when it comes back.
 *
 * @throws {ConfigurationError} When the `jwt` callback gives what can be no session.
 */
export async function issueToken(draft: TokenDraft, options: IssueOptions): Promise<ValidSession> {
  const { id, startedAt, userId, tenantId, moved, replaced, told } = draft;
  const { signer, audience, hostOnly, times, jwt, now } = options;
  const iat = Math.floor(now / 1000);
  const end = Math.min(iat * 1000 + times.maxAge, startedAt + times.absoluteMaxAge);
  const session: SessionClaims = {
    sub: userId,
    iat,
    // Whole seconds; the rest of the last one is taken off where the token is read.
    exp: Math.ceil(end / 1000),
    jti: id,
    aud: audience,
    "auth_time": startedAt / 1000,
    ...(tenantId !== undefined && { tenant: tenantId }),
    ...(moved !== undefined && { moved_host: moved }),
    ...(replaced !== undefined && { replaced_jti: replaced }),
  };
  const claims = await callJwt(jwt, { ...told, token: { ...draft.claims, ...session } }, session);
  const { absoluteMaxAge } = times;
  const open = readSessionClaims(claims, { audience, absoluteMaxAge, now });
  if (open === null || open === "expired") {
    throw new ConfigurationError(
      "Cannot make a token: a claim about the user has the wrong type. See the type JWT.",
      { field: "callbacks.jwt" },
    );
  }
  return stateOfToken(open, await signer.sign(claims), hostOnly);
}

/**
 * Checks that a token fits into cookies.
 *
 * @throws {SessionTooLargeError} When it does not fit into cookies.
 */
export function assertFits({ token: { length } }: ValidSession): void {
  if (length <= MAX_TOKEN_LENGTH) return;
  throw new SessionTooLargeError(
    `Cannot keep a session of ${length} characters in cookies: at most ${MAX_TOKEN_LENGTH} fit. ` +
      'Put less into the token by the jwt callback, or write session: { strategy: "database" }.',
  );
}
