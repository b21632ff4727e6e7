import { OAuthError } from "../errors/oauth_errors.ts";
import { invalidResponse, parseObject, type Reply } from "./call_provider.ts";
import type { OAuthTokens } from "./contracts.ts";

function optionalText(body: Record<string, unknown>, name: string): string | null {
  const value = body[name] ?? "";
  if (value === "") return null;
  if (typeof value === "string") return value;
  throw invalidResponse(`The provider's "${name}" is no text`);
}

function readExpiry(value: unknown, now: number): number | null {
  if ((value ?? null) === null) return null;
  const seconds = typeof value === "string" ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= 0 && seconds < 1e10) {
    return now + Math.floor(seconds) * 1000;
  }
  throw invalidResponse('The provider\'s "expires_in" is no number of seconds');
}

/** What the provider calls an error, when that is a word and no novel. */
export function readReason(value: unknown): string {
  return typeof value === "string" && /^[\w.:-]{1,64}$/.test(value) ? value : "unknown";
}

/**
 * Reads the answer of a token endpoint (RFC 6749, 5.1 and 5.2).
 *
 * @throws {OAuthError} `OAUTH_PROVIDER_ERROR` with the provider's `reason` when it refuses,
 * `OAUTH_RESPONSE_INVALID` for anything else that holds no tokens.
 */
export function readTokens(reply: Reply, now: number): OAuthTokens {
  const body = parseObject(reply);
  // Some providers report errors with status 200.
  if (typeof body.error === "string") {
    const reason = readReason(body.error);
    throw new OAuthError("OAUTH_PROVIDER_ERROR", `The provider answered "${reason}"`, { reason });
  }
  if (reply.status !== 200) {
    throw invalidResponse(`The token endpoint answered with status ${reply.status}`);
  }
  const accessToken = optionalText(body, "access_token") ?? "";
  const type = optionalText(body, "token_type")?.toLowerCase();
  // It becomes part of a header, which cannot hold more than this (RFC 6749, A.12).
  if (type !== "bearer" || !/^[\x20-\x7e]+$/.test(accessToken)) {
    throw invalidResponse("The provider gave no bearer token");
  }
  return {
    accessToken,
    refreshToken: optionalText(body, "refresh_token"),
    expiresAt: readExpiry(body.expires_in, now),
    scope: optionalText(body, "scope"),
    idToken: optionalText(body, "id_token"),
  };
}
