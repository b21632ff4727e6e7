import { isWorkerPlatform } from "../config/worker_platform.ts";

/**
 * Whether no more can come than the request announces. In workers that is so unless the body comes in chunks: workerd
 * then passes on a Content-Length that stands beside them and means nothing (RFC 9112, 6.3).
 */
export function isMeasured({ headers }: Request): boolean {
  return headers.get("content-length") !== null && isWorkerPlatform() &&
    headers.get("transfer-encoding") === null;
}

/**
 * The bytes of a body. What is longer than the limit is not read to its end, and is null.
 *
 * @throws What the platform throws when the other side goes away.
 */
export async function readLimited(
  { body }: Request | Response,
  limit: number,
): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  // In workers an iterator costs twice as much.
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > limit) {
      await reader.cancel();
      return null;
    }
    chunks.push(read.value);
  }
  // Most bodies come in one piece.
  return chunks.length === 1 ? chunks[0]! : new Uint8Array(await new Blob(chunks).arrayBuffer());
}
