import { RequestError } from "../errors/request_errors.ts";
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
  let length = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > limit) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
  const init = { body: request.body.pipeThrough(counted), duplex: "half" };
  return new Request(request, init as RequestInit);
}

function tooLarge(): RequestError {
  return new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
}
