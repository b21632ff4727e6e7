/**
 * `verifyWebhook()`: the check of a request to a receiver of webhooks.
 *
 * @module
 */

import { RequestError } from "../errors.ts";
import { readLimited } from "../lib/body.ts";
import { isOptions, optionsAt, readClock, wrongOption } from "../lib/options.ts";
import { WebhookError } from "./errors.ts";
import type { OutboxMessage } from "./message.ts";
import { readWebhookSecret, verifySignatures } from "./webhook_signature.ts";

/** A request to a receiver where the server has no `Request`, such as those of Express. */
export interface ReceivedWebhook {
  /** The headers. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came: no parser may have read it, and nothing may have written it again. */
  body: string | Uint8Array;
}

/** Options for {@linkcode verifyWebhook}. */
export interface VerifyWebhookOptions {
  /** Seconds that the time of sending may be before or after now. Default 300. */
  tolerance?: number | undefined;
  /** The clock, in milliseconds since 1970. Default: that of the machine. */
  now?: (() => number) | undefined;
}

const MAX_BYTES = 262_144;
const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function malformed(message: string): WebhookError {
  return new WebhookError("WEBHOOK_MALFORMED", message);
}

/** The one value of a header. */
function headerOf(headers: ReceivedWebhook["headers"], name: string): string {
  const value = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === "string" && value !== "") return value;
  throw malformed(`The request has no header "${name}"`);
}

async function bodyOf(received: Request | ReceivedWebhook): Promise<string> {
  const { body } = received;
  if (typeof body === "string") {
    if (body.length <= MAX_BYTES) return body;
    throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
  }
  const bytes = body instanceof Uint8Array
    ? body
    : await readLimited(received as Request, MAX_BYTES).catch((cause) => {
      throw new RequestError("The body ended early", { cause });
    });
  if (bytes === null || bytes.length > MAX_BYTES) {
    throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The body is not UTF-8");
  }
}

/** The event in a body whose signature has been verified. */
function parseMessage(id: string, body: string): OutboxMessage {
  let payload: unknown;
  try {
    payload = JSON.parse(body);
  } catch {
    throw malformed("The body is not JSON");
  }
  const { type, timestamp, data } = isOptions(payload) ? payload : {};
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : NaN;
  if (typeof type !== "string" || Number.isNaN(at) || !isOptions(data)) {
    throw malformed('The body has no "type", "timestamp" and "data"');
  }
  return { id, type, at, data };
}

/**
 * Verifies a request to a receiver of webhooks, of this library or of another that does it as
 * [Standard Webhooks](https://www.standardwebhooks.com) has it, and returns the event. Nothing of the body is looked at
 * before its signature is verified, in constant time.
 *
 * An event comes at least once: keep its `id` with what you do, and do nothing for one that you know.
 *
 * @param received The request, whose body nobody has read, or its headers and its body as it came. At most 256 KiB.
 * @param secret Secret of this receiver; while it is being changed, both.
 * @param options `tolerance` in seconds, 300 by default, and the clock.
 * @throws {ConfigurationError} For a wrong secret or option.
 * @throws {WebhookError} `WEBHOOK_SIGNATURE` (401), `WEBHOOK_TIMESTAMP` (401) when it was sent more than five
 * minutes before or after now, `WEBHOOK_MALFORMED` (400).
 * @throws {RequestError} `PAYLOAD_TOO_LARGE` (413), and 400 for a body that ends early.
 *
 * @example
 * ```ts
 * import { errorResponse } from "@framework/auth";
 * import { createWebhookSecret, verifyWebhook } from "@framework/auth/webhooks";
 * import { equal } from "node:assert/strict";
 *
 * const secret = createWebhookSecret();
 *
 * async function receive(request: Request): Promise<Response> {
 *   try {
 *     const { id, type, data } = await verifyWebhook(request, secret);
 *     console.log(id, type, data);
 *     return new Response(null, { status: 204 });
 *   } catch (error) {
 *     return errorResponse(error, request);
 *   }
 * }
 * const forged = new Request("https://hooks.example/auth", {
 *   method: "POST",
 *   headers: {
 *     "webhook-id": "evt_1",
 *     "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
 *     "webhook-signature": "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
 *   },
 *   body: "{}",
 * });
 * equal((await receive(forged)).status, 401);
 * ```
 */
export async function verifyWebhook(
  received: Request | ReceivedWebhook,
  secret: string | readonly string[],
  options?: VerifyWebhookOptions,
): Promise<OutboxMessage> {
  const given = optionsAt(options, "options", ["tolerance", "now"]);
  const { tolerance = 300 } = given;
  if (typeof tolerance !== "number" || !(tolerance > 0)) {
    throw wrongOption("tolerance", tolerance, "a number of seconds above 0");
  }
  const now = readClock(given.now);
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw wrongOption("secret", secrets, "at least one secret");
  const keys = secrets.map((one) => readWebhookSecret(one, "secret"));

  const { headers } = received;
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signature = headerOf(headers, "webhook-signature");
  // With one, what is signed could be divided in two ways.
  if (id.includes(".")) throw malformed("The id of the webhook has a full stop in it");
  if (!/^\d{1,12}$/.test(timestamp)) throw malformed("The time of the webhook is no number");
  if (Math.abs(now() / 1000 - Number(timestamp)) > tolerance) {
    throw new WebhookError("WEBHOOK_TIMESTAMP");
  }
  const body = await bodyOf(received);
  if (!await verifySignatures({ id, timestamp, body }, signature, keys)) {
    throw new WebhookError("WEBHOOK_SIGNATURE");
  }
  return parseMessage(id, body);
}
