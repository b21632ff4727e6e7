import assert from "node:assert/strict";
import { entrySentence } from "./docs_sources.ts";

Deno.test("entrySentence() is the first sentence of an entry, whose symbols lead to their pages", () => {
  const source = `/**
 * Webhooks: {@linkcode webhook} sends events by \`node:http\`, and
 * {@linkcode verifyWebhook} verifies them. More of it.
 *
 * @module
 */
export {};`;
  assert.equal(
    entrySentence(source, "reference/auth/webhooks.ts"),
    "Webhooks: [`webhook`](reference/auth/webhooks.ts/~/webhook.html) sends events by `node:http`, and " +
      "[`verifyWebhook`](reference/auth/webhooks.ts/~/verifyWebhook.html) verifies them.",
  );
});
