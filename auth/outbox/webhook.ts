/**
 * `webhook()`: events sent to a receiver over HTTP, as the Standard Webhooks specification 1.0.0 has them.
 *
 * @module
 */

import { type AuthError, ConfigurationError, isAuthError } from "../errors.ts";
import { readLimited } from "../lib/body.ts";
import { isFilledText, optionsOf, readFunction, wrongOption } from "../lib/options.ts";
import type { AuthEvent } from "../types/events.ts";
import { readEventTypes } from "./destination.ts";
import { DeliveryError } from "./errors.ts";
import type { DeliveryTry, Destination, OutboxMessage } from "./message.ts";
import { readWebhookUrl } from "./webhook_address.ts";
import { readWebhookSecret, signWebhook } from "./webhook_signature.ts";

/** Options for {@linkcode webhook}. */
export interface WebhookOptions {
  /**
   * Address of the receiver: https on its own port, 443, without credentials and fragment. In development, by `NODE_ENV`,
   * also http on any port of a loopback host.
   */
  url: string;
  /** Secret of this receiver, as `createWebhookSecret()` makes it: `whsec_` and the base64 of 24 to 64 bytes. */
  secret: string;
  /** The secret before it, while the receiver may still have that one: each event has a signature of both. */
  previousSecret?: string | undefined;
  /** Types of events that are sent. Default: all that tell of a change, see `docs/webhooks.md`. */
  events?: readonly AuthEvent["type"][] | undefined;
  /**
   * Name of the receiver, kept with what is to be delivered: do not change it. Default: "webhook:" and the host, so
   * that two receivers at one host need names of their own.
   */
  id?: string | undefined;
  /** Makes the request. `createPublicFetch()` for an address that somebody else has set. Default: the platform's. */
  fetch?: typeof fetch | undefined;
}

const KEYS = ["url", "secret", "previousSecret", "events", "id", "fetch"];
const TIMEOUT = 10_000;
const MAX_ANSWER_BYTES = 65_536;
const DAY = 86_400_000;

/** Body of a message, the same at each try. */
function bodyOf({ type, at, data }: OutboxMessage): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/**
 * Time of the next try by `Retry-After` (RFC 9110, 10.2.3), seconds or a date: at most a day from now, so that no
 * receiver has events kept for longer. Undefined for what is neither, and for the past.
 */
function retryAtOf({ headers }: Response, now: number): number | undefined {
  const value = headers.get("retry-after") ?? "";
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value);
  const at = /^\d{1,10}$/.test(value)
    ? now + Number(value) * 1000
    : isDate
    ? Date.parse(value)
    : NaN;
  return at > now ? Math.min(at, now + DAY) : undefined;
}

/** Name of a failure of the network, as platforms have it on an error or on its cause. */
function nameOf(error: unknown): string | undefined {
  // No further than this: causes may go in a circle.
  for (let [depth, one] = [0, error]; depth < 5; depth++) {
    const { code, cause } = Object(one) as { code?: unknown; cause?: unknown };
    if (typeof code === "string" && /^[A-Z][A-Z\d_]{1,60}$/.test(code)) return code;
    one = cause;
  }
  return undefined;
}

/** Error of a request that got no answer. Of the platform's error only a name: it may hold bytes of the answer. */
function failureOf(error: unknown, host: string, signal: AbortSignal): AuthError {
  if (isAuthError(error)) return error;
  if (signal.aborted) {
    return new DeliveryError("DELIVERY_TIMEOUT", `${host} did not answer in time`);
  }
  const name = nameOf(error);
  const why = name === undefined ? "" : `: ${name}`;
  return new DeliveryError("DELIVERY_UNREACHABLE", `Cannot reach ${host}${why}`);
}

/** Refuses every answer but 2xx. */
function judge(response: Response, host: string, now: number): void {
  const { ok, status } = response;
  if (ok) return;
  const retryAt = retryAtOf(response, now);
  throw new DeliveryError(
    status === 410 ? "DELIVERY_GONE" : "DELIVERY_REFUSED",
    `${host} answered with status ${status}`,
    { receivedStatus: status, ...(retryAt !== undefined && { retryAt }) },
  );
}

/** Waits for work until a signal ends it, also where the work itself does not listen. */
async function within<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let end = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * A destination that posts each event to a receiver as JSON, signed as
 * [Standard Webhooks](https://www.standardwebhooks.com) has it: `webhook-id` is that of the event at each try,
 * `webhook-timestamp` the time of the try, and `webhook-signature` has one signature for each secret.
 *
 * Any 2xx means that the receiver has it. Everything else is an error, a redirect too, which is not followed. A try ends
 * after ten seconds; at most 64 KiB of the answer are read, and nothing of it is kept.
 *
 * @param options Address and secret of the receiver, and what it gets.
 * @throws {ConfigurationError} When an option is wrong. The message has neither the address nor a secret.
 *
 * @example
 * ```ts
 * import { createWebhookSecret, verifyWebhook, webhook } from "@framework/auth/webhooks";
 * import { deepEqual } from "node:assert/strict";
 *
 * const secret = createWebhookSecret();
 * const destination = webhook({
 *   url: "https://hooks.example/auth",
 *   secret,
 *   // The receiver, in place of the network.
 *   async fetch(url, init) {
 *     const { type, data } = await verifyWebhook(new Request(url, init), secret);
 *     deepEqual([type, data], ["sign-up", { userId: "ada" }]);
 *     return new Response(null, { status: 204 });
 *   },
 * });
 * const now = Date.now();
 * await destination.deliver(
 *   { id: "evt_1", type: "sign-up", at: now, data: { userId: "ada" } },
 *   { attempt: 1, signal: AbortSignal.timeout(10_000), now },
 * );
 * ```
 */
export function webhook(options: WebhookOptions): Destination {
  const given = optionsOf(options, "webhook", KEYS) as Partial<WebhookOptions>;
  const url = readWebhookUrl(given.url);
  if (url === null) {
    // The path of a receiver's address may be a secret.
    const found = given.url === undefined ? "found nothing; " : "";
    throw new ConfigurationError(
      `Wrong option "url": ${found}write an address with https, without credentials, port and fragment; where ` +
        'NODE_ENV is "development" also http on a loopback host',
      { field: "url" },
    );
  }
  const { secret, previousSecret, id = `webhook:${url.host}` } = given;
  const secrets: [field: string, value: unknown][] = [["secret", secret]];
  if (previousSecret !== undefined) secrets.push(["previousSecret", previousSecret]);
  const keys = secrets.map(([field, value]) => readWebhookSecret(value, field));
  if (!isFilledText(id)) throw wrongOption("id", id, 'a name such as "crm"');
  const call = readFunction(given.fetch, "fetch", "a function like fetch()");

  async function post(
    message: OutboxMessage,
    { signal, now }: Pick<DeliveryTry, "signal" | "now">,
  ): Promise<Response> {
    const body = bodyOf(message);
    const timestamp = String(Math.floor(now / 1000));
    // Not before: a test replaces the platform's own for a while.
    const send = (call ?? fetch) as typeof fetch;
    return await send(url!.href, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "@framework/auth",
        "webhook-id": message.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": await signWebhook({ id: message.id, timestamp, body }, keys),
      },
      body,
      // A redirect would have the events sent to whoever it names, inside of the network too.
      redirect: "manual",
      signal,
    });
  }

  return {
    id,
    events: readEventTypes(given.events, "events"),
    async deliver(message: OutboxMessage, { signal: outer, now }: DeliveryTry): Promise<void> {
      // It stands between full stops in what is signed (Standard Webhooks, "Signature scheme").
      if (!/^[\w-]{1,255}$/.test(message.id)) {
        throw new ConfigurationError(
          "Cannot send this event: its id must have letters, digits, _ and - alone",
          { field: "id" },
        );
      }
      const ended = new AbortController();
      const timer = setTimeout(() => ended.abort(), TIMEOUT);
      const signal = AbortSignal.any([outer, ended.signal]);
      try {
        const response = await within(post(message, { signal, now }), signal).catch((error) => {
          throw failureOf(error, url.host, signal);
        });
        // To hang up at once would look to the receiver as if nobody waited. The status says all that counts.
        await within(readLimited(response, MAX_ANSWER_BYTES), signal).catch(() => null);
        judge(response, url.host, now);
      } finally {
        clearTimeout(timer);
        ended.abort();
      }
    },
  };
}
