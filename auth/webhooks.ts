/**
 * Webhooks as [Standard Webhooks](https://www.standardwebhooks.com) has them: {@linkcode webhook} sends events,
 * {@linkcode verifyWebhook} verifies them at a receiver, and {@linkcode createPublicFetch} sends to addresses that
 * somebody else has set.
 *
 * @example
 * ```ts
 * import { createWebhookSecret, verifyWebhook, webhook } from "@framework/auth/webhooks";
 * import { deepEqual } from "node:assert/strict";
 *
 * const secret = createWebhookSecret();
 * const received: unknown[] = [];
 * const { deliver } = webhook({
 *   url: "https://hooks.example/auth",
 *   secret,
 *   // The receiver, in place of the network.
 *   async fetch(url, init) {
 *     received.push(await verifyWebhook(new Request(url, init), secret));
 *     return new Response(null, { status: 204 });
 *   },
 * });
 * const now = Date.now();
 * const event = { id: "evt_1", type: "sign-up", at: now, data: { userId: "ada" } };
 * await deliver(event, { attempt: 1, signal: AbortSignal.timeout(10_000), now });
 * deepEqual(received, [event]);
 * ```
 *
 * @module
 */

export { AuthError, type AuthErrorFields } from "./errors.ts";
export {
  DeliveryError,
  type DeliveryErrorCode,
  type DeliveryErrorFields,
  WebhookError,
  type WebhookErrorCode,
} from "./outbox/errors.ts";
export type { DeliveryTry, Destination, OutboxData, OutboxMessage } from "./outbox/message.ts";
export { createPublicFetch } from "./outbox/public_fetch.ts";
export {
  type ReceivedWebhook,
  verifyWebhook,
  type VerifyWebhookOptions,
} from "./outbox/verify_webhook.ts";
export type { TenantWebhooks } from "./outbox/destination.ts";
export {
  addTenantWebhook,
  listTenantWebhooks,
  type MadeTenantWebhook,
  type NewTenantWebhook,
  removeTenantWebhook,
  rotateTenantWebhook,
  type RotateTenantWebhookOptions,
  type TenantWebhook,
  tenantWebhooks,
  type TenantWebhooksOptions,
} from "./outbox/tenant_webhooks.ts";
export { webhook, type WebhookOptions } from "./outbox/webhook.ts";
export { isPublicWebhookUrl } from "./outbox/webhook_address.ts";
export { createWebhookSecret } from "./outbox/webhook_signature.ts";
