import { RequestError } from "../errors/request_errors.ts";
import { mediaType } from "./media_type.ts";

const MAX_BYTES = 32 * 1024;

/** A client that goes away, or sends what is no HTTP, ends the body with an error of the platform. */
async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new RequestError("The body broke off", { cause });
  }
}

/** Reads a body up to a limit; what is longer is not read to its end. */
async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > MAX_BYTES) {
    throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await readChunk(reader);
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RequestError("The body is not UTF-8", { cause });
  }
}

function parseJson(text: string): Map<string, string> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new RequestError("The body is not JSON", { cause });
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new RequestError("The body must be a JSON object");
  }
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== "string") throw new RequestError("Every value of the body must be a text");
    fields.set(name, value);
  }
  return fields;
}

function parseForm(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    // Two values for one name are read differently by different programs.
    if (fields.has(name)) throw new RequestError("A field of the form came twice");
    fields.set(name, value);
  }
  return fields;
}

/**
 * Reads the fields of a form or of a flat JSON object of texts. They come as a map, so that no name can
 * be one that objects have already.
 *
 * @param options `optional`: a request without a body has no fields.
 * @throws {RequestError} 413 above 32 KiB, 415 for other types, 400 for what is malformed.
 */
export async function readFields(
  request: Request,
  options: { optional: boolean },
): Promise<ReadonlyMap<string, string>> {
  const type = mediaType(request);
  if (type !== "application/json" && type !== "application/x-www-form-urlencoded") {
    const empty = options.optional && type === null && (await readBytes(request)).length === 0;
    if (empty) return new Map();
    throw new RequestError(undefined, { code: "UNSUPPORTED_MEDIA_TYPE" });
  }
  const bytes = await readBytes(request);
  if (bytes.length === 0 && options.optional) return new Map();
  const text = decode(bytes);
  return type === "application/json" ? parseJson(text) : parseForm(text);
}
