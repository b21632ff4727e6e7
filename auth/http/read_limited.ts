/**
 * The bytes of a body. What is longer than the limit is not read to its end, and is null.
 *
 * @throws What the platform throws when the other side goes away.
 */
export async function readLimited(
  { body }: Request | Response,
  limit: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
