/** The most bytes that are read of a body that nobody wants. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads what was left of the body of a request that was refused, before the answer is given: a server that answers
 * and hangs up while the client still sends makes the client see a broken connection in the place of the
 * answer. What is longer than 1 MiB, or slower than five seconds, is not waited for.
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
  if (response.ok || request.body === null || request.bodyUsed || request.body.locked) return;
  if (Number(request.headers.get("content-length")) > MAX_BYTES) return;
  const reader = request.body.getReader();
  const giveUp = (): Promise<void> => reader.cancel().catch(() => {});
  const timer = setTimeout(giveUp, patience);
  try {
    let left = MAX_BYTES;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      left -= read.value.length;
      if (left < 0) return await giveUp();
    }
  } catch {
    // Who goes away needs no answer.
  } finally {
    clearTimeout(timer);
  }
}
