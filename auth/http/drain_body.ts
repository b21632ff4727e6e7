import { discard, MAX_DISCARDED } from "./discard.ts";

/**
 * Reads what was left of the body of a request that was refused, before the answer is given: a server that answers
 * and hangs up while the client still sends makes the client see a broken connection in the place of the
 * answer. What is longer than 16 MiB, or slower than five seconds, is not waited for.
 *
 * @param request The request.
 * @param response The answer. After a success nothing is read: it may be made of the body while it is sent.
 * @param patience Milliseconds to wait. Default: 5,000.
 *
 * @example
 * ```ts
 * import { drainBody } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { method: "POST", body: "unwanted" });
 * await drainBody(request, new Response("Forbidden", { status: 403 }));
 * equal(request.bodyUsed, true);
 * ```
 */
export async function drainBody(
  request: Request,
  response: Response,
  patience: number = 5000,
): Promise<void> {
  if (response.ok) return;
  try {
    if (request.body === null || request.bodyUsed || request.body.locked) return;
    if (Number(request.headers.get("content-length")) > MAX_DISCARDED) return;
    await discard(request.body.getReader(), patience);
  } catch {
    // A request that a server makes only when it is looked at may turn out to be none.
  }
}
