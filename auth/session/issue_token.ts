import type { AuthCallbacks, JwtParams } from "../callbacks/callbacks.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { SessionTooLargeError } from "../errors/session_errors.ts";
import { callJwt } from "./call_jwt.ts";
import type { Moved, SessionClaims } from "./jwt_claims.ts";
import { type OpenSession, readSessionClaims } from "./read_claims.ts";
import type { ValidSession } from "./session_state.ts";
import { MAX_TOKEN_LENGTH } from "./cookie_chunks.ts";
import type { TokenSigner } from "./signed_token.ts";
import type { SessionTimes } from "./strategy.ts";

/** What a token is made of. */
export interface TokenDraft {
  /** Id of the session. */
  id: string;
  /** When the session began, in milliseconds. */
  startedAt: number;
  /** Id of the user. */
  userId: string;
  /** Id of the tenant that it was made in. */
  tenantId?: string | undefined;
  /** Whether it is exchanged for one in a cookie that can be planted. */
  moved?: Moved | undefined;
  /** The claims besides those on which the session rests. */
  claims: Record<string, unknown>;
  /** What the `jwt` callback is told besides the token. */
  told: Omit<JwtParams, "token">;
}

/** What makes a token of a draft. */
export interface IssueOptions {
  /** Signs it. */
  signer: TokenSigner;
  /** The name of the session cookie. */
  audience: string;
  /** Whether no sibling host can plant that cookie. */
  hostOnly: boolean;
  /** How long sessions last. */
  times: SessionTimes;
  /** The application's say in the claims. */
  jwt: AuthCallbacks["jwt"];
  /** The present moment, in milliseconds. */
  now: number;
}

/** What is known of a session whose token was opened. */
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
  const { id, startedAt, userId, tenantId, moved, told } = draft;
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
 * Makes sure that a token can be kept.
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
