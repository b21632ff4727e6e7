import { RequestError } from "../errors/request_errors.ts";
import { discard } from "./discard.ts";
import { isMeasured } from "./read_limited.ts";

/**
 * Limits the body of a request, whoever reads it and however: what announces more is refused at once, and what
 * announces nothing, or comes from a program that may announce what it likes, is counted while it is read. In
 * workers a request that announces its length is returned as it came, with the platform's own stream, which
 * lets no more come and whose length R2 knows.
 *
 * @param request The request. Where its body is counted, read that of the result instead.
 * @param limit The most bytes that the body may have.
 * @returns The request whose body is to be read. Reading more than the limit rejects with the same error.
 * @throws {RequestError} `PAYLOAD_TOO_LARGE` (413) when more is announced.
 *
 * @example
 * ```ts
 * import { limitBody } from "@framework/auth/convention";
 * import { equal, rejects } from "node:assert/strict";
 *
 * const post = (body: string) => new Request("https://app.example/", { method: "POST", body });
 * equal(await limitBody(post("short"), 1024).text(), "short");
 * await rejects(limitBody(post("x".repeat(2000)), 1024).text(), { code: "PAYLOAD_TOO_LARGE" });
 * ```
 */
export function limitBody(request: Request, limit: number): Request {
  if (request.body === null) return request;
  if (Number(request.headers.get("content-length")) > limit) throw tooLarge();
  if (isMeasured(request)) return request;
  const reader = request.body.getReader();
  let length = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      length += value.length;
      if (length <= limit) return controller.enqueue(value);
      // The client would not see the answer while it sends.
      await discard(reader);
      controller.error(tooLarge());
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return new Request(request, { body: counted, duplex: "half" } as RequestInit);
}

function tooLarge(): RequestError {
  return new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
}
