/**
 * Related origins: pages of other domains on which the passkeys of one are used.
 *
 * @module
 */

import { jsonResponse } from "../../core/redirect.ts";
import { currentRequest } from "../../core/request.ts";
import { RequestError } from "../../errors.ts";
import { wrongOption } from "../../lib/options.ts";

// As many as every browser reads (WebAuthn Level 3, 5.11.1).
const MAX = 5;

function isOrigin(value: unknown): value is string {
  // The parser takes "*" for a letter of a host.
  if (typeof value !== "string" || !/^https:\/\/[a-z0-9.-]+(?::\d+)?$/.test(value)) return false;
  return URL.canParse(value) && new URL(value).origin === value;
}

/**
 * Checks the option `relatedOrigins`.
 *
 * @throws {ConfigurationError} When one is no origin with https, is of the domain itself, or stands there twice, and for
 * more than five.
 */
export function readRelatedOrigins(value: unknown, rpId: string): string[] {
  const wrong = (given: unknown, wanted: string) => wrongOption("relatedOrigins", given, wanted);
  if (!Array.isArray(value) || value.length > MAX) {
    throw wrong(value, `a list of at most ${MAX} origins`);
  }
  for (const origin of value) {
    if (!isOrigin(origin)) throw wrong(origin, 'an origin with https: "https://app.example"');
    const { hostname } = new URL(origin);
    if (hostname === rpId || hostname.endsWith(`.${rpId}`)) {
      throw wrong(origin, "an origin of another domain; those of the domain belong into `origin`");
    }
  }
  if (new Set(value).size < value.length) throw wrong(value, "each origin once");
  return [...value];
}

/**
 * The answer to `GET /.well-known/webauthn` on the domain of the passkeys: the origins that `passkey({ relatedOrigins })`
 * names, which browsers ask before they use a passkey on a page of another domain (WebAuthn Level 3, 5.11). It says
 * nothing that depends on the request.
 *
 * @throws {RequestError} `NOT_FOUND`, when no related origins are configured.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, passkey, relatedOriginsResponse } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   database: createMemoryStorage(),
 *   providers: [passkey({
 *     rpId: "app.example",
 *     origin: "https://app.example",
 *     relatedOrigins: ["https://app.de"],
 *   })],
 * });
 * const request = new Request("https://app.example/.well-known/webauthn");
 * const response = await auth.run(request, {}, undefined, relatedOriginsResponse);
 * deepEqual(await response.json(), { origins: ["https://app.de"] });
 * ```
 */
export function relatedOriginsResponse(): Response {
  const { providers } = currentRequest("relatedOriginsResponse").auth.settings;
  const origins = [...providers.values()].flatMap((method) => method.relatedOrigins ?? []);
  if (origins.length === 0) {
    throw new RequestError("No related origins are configured", { code: "NOT_FOUND" });
  }
  return jsonResponse({ origins });
}
