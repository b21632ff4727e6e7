/**
 * Calls to a provider, with limits of size and time.
 *
 * @module
 */

import { isAuthError, OAuthError, type OAuthErrorFields } from "../../errors.ts";
import { mediaType, readLimited } from "../../lib/body.ts";
import { isLoopbackHost } from "../../lib/ip_address.ts";
import { isOptions } from "../../lib/options.ts";

/** Fetch, clock and limits for calls to providers. */
export interface Caller {
  /** Makes the call. */
  fetch: typeof fetch;
  /** The clock, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds until a call is given up, its body included. Default 10,000. */
  timeout?: number;
  /** True for an address without https that may be called all the same. Default: for none. */
  allowsHttp?(url: unknown): boolean;
}

/** Request to a provider. */
export interface CallInit {
  /** Default GET; with a body POST. */
  body?: URLSearchParams;
  /** Further headers of the call. */
  headers?: Headers;
}

/** An answer, read to its end. */
export interface Reply {
  /** The status, which is no redirect and below 500. */
  status: number;
  /** The media type, without parameters; null when the answer does not say it. */
  type: string | null;
  /** The body. */
  text: string;
}

/** True for an address that providers may have: https, or http on the machine itself. */
export function isProviderUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password, hash } = new URL(value);
  if (username !== "" || password !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

/** An answer that cannot be believed. Its message goes into the log and must hold nothing of the answer. */
export function invalidResponse(message: string, fields?: OAuthErrorFields): OAuthError {
  return new OAuthError("OAUTH_RESPONSE_INVALID", message, fields);
}

async function readText(response: Response): Promise<string> {
  const most = 1_048_576; // 1 MiB
  const bytes = await readLimited(response, most);
  if (bytes !== null) return new TextDecoder().decode(bytes);
  throw invalidResponse(`The provider's answer is longer than ${most} bytes`);
}

async function send(
  url: string,
  { body, headers }: CallInit,
  caller: Caller,
  signal: AbortSignal,
): Promise<Reply> {
  const all = new Headers(headers);
  all.set("accept", "application/json");
  all.set("user-agent", "@framework/auth");
  const response = await caller.fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: all,
    body: body ?? null,
    // A redirect would leak tokens and secrets to the host it names (RFC 9700, 4.12).
    redirect: "manual",
    signal,
  });
  const { status } = response;
  const refused = status >= 500 || status === 429;
  if (refused || status < 200 || (status >= 300 && status < 400)) {
    await response.body?.cancel().catch(() => {});
    const message = `The provider answered ${new URL(url).host} with status ${status}`;
    throw refused ? new OAuthError("OAUTH_UNAVAILABLE", message) : invalidResponse(message);
  }
  return { status, type: mediaType(response), text: await readText(response) };
}

/**
 * Calls a provider: within a time and a size, following no redirect.
 *
 * @throws {OAuthError} `OAUTH_UNAVAILABLE` when there is no answer in time, or that of an overloaded or
 * broken server; `OAUTH_RESPONSE_INVALID` for a redirect and for an answer that is too long.
 */
export async function callProvider(url: string, init: CallInit, caller: Caller): Promise<Reply> {
  if (!isProviderUrl(url) && caller.allowsHttp?.(url) !== true) {
    throw invalidResponse("The provider names a URL without https");
  }
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new OAuthError("OAUTH_UNAVAILABLE", `${new URL(url).host} did not answer in time`));
      controller.abort();
    }, caller.timeout ?? 10_000);
  });
  try {
    return await Promise.race([send(url, init, caller, controller.signal), late]);
  } catch (error) {
    if (isAuthError(error)) throw error;
    // Of the platform's error only its words: what else hangs on it may hold the request.
    const told = error instanceof Error ? error.message : "";
    throw new OAuthError("OAUTH_UNAVAILABLE", `Cannot reach ${new URL(url).host}: ${told}`);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The JSON of an answer.
 *
 * @throws {OAuthError} `OAUTH_RESPONSE_INVALID` when it is none, or does not say that it is.
 */
export function parseJson({ type, text }: Reply): unknown {
  if (type === null || !/^application\/(?:[\w.+-]+\+)?json$/.test(type)) {
    throw invalidResponse("The provider's answer is not JSON by its content type");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalidResponse("The provider's answer is not JSON");
  }
}

/** The JSON object of an answer. */
export function parseObject(reply: Reply): Record<string, unknown> {
  const value = parseJson(reply);
  if (isOptions(value)) return value;
  throw invalidResponse("The provider's answer is not a JSON object");
}

/**
 * Gets JSON, with an access token where one is given.
 *
 * @throws {OAuthError} When there is none.
 */
export async function getJson(
  url: string,
  caller: Caller,
  { token }: { token?: string } = {},
): Promise<unknown> {
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
  const reply = await callProvider(url, { headers }, caller);
  if (reply.status === 200) return parseJson(reply);
  const reason = `status ${reply.status}`;
  throw invalidResponse(
    `${new URL(url).host} answered with ${reason}`,
    // Without its query, in which some providers want a proof of the token.
    reply.status === 404 ? { reason, endpoint: url.replace(/\?.*/, "") } : {},
  );
}
