import { RequestError } from "../errors/request_errors.ts";
import { mediaType } from "./media_type.ts";
import { readLimited } from "./read_limited.ts";

const MAX_BYTES = 32 * 1024;

async function readBytes(request: Request): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length"));
  const bytes = announced > MAX_BYTES ? null : await readLimited(request, MAX_BYTES).catch(
    (cause) => {
      throw new RequestError("The body broke off", { cause });
    },
  );
  if (bytes !== null) return bytes;
  throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
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

/** Fields of a form or an address. Two values for one name are read differently by different programs. */
export function readPairs(pairs: URLSearchParams, what: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (fields.has(name)) throw new RequestError(`A ${what} came twice`);
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
  return type === "application/json"
    ? parseJson(text)
    : readPairs(new URLSearchParams(text), "field of the form");
}
