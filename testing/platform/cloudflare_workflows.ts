/**
 * Error of a step that is not tried again.
 *
 * @example
 * ```ts
 * import { NonRetryableError } from "@framework/testing/cloudflare-workflows"; // "cloudflare:workflows"
 * import { equal } from "node:assert/strict";
 *
 * equal(new NonRetryableError("No such order").message, "No such order");
 * ```
 */
export class NonRetryableError extends Error {
  /**
   * Creates the error.
   *
   * @param message What failed.
   * @param name Name of the error. Default "NonRetryableError".
   */
  constructor(message: string, name: string = "NonRetryableError") {
    super(message);
    this.name = name;
  }
}
