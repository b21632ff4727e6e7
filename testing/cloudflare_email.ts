/**
 * Stands in for `cloudflare:email` in an application that runs in process. `createTestContext`
 * installs it.
 *
 * @example
 * ```ts
 * import { EmailMessage } from "@framework/testing/cloudflare-email"; // "cloudflare:email"
 * import { equal } from "node:assert/strict";
 *
 * const raw = "From: a@app.example\r\nMessage-ID: <1@app.example>\r\n\r\nHello";
 * equal(new EmailMessage("a@app.example", "b@other.example", raw).from, "a@app.example");
 * ```
 *
 * @module
 */

export { EmailMessage } from "./platform/cloudflare_email.ts";
