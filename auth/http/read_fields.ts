import { ConfigurationError } from "../errors/configuration_error.ts";
import { RequestError } from "../errors/request_errors.ts";
import { mediaType } from "./media_type.ts";
import { isMeasured, readLimited } from "./read_limited.ts";

const MAX_BYTES = 32 * 1024;
const utf8 = /* @__PURE__ */ new TextDecoder();

/** The text of a body; null when it is too long. */
async function readWithin(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length")) > MAX_BYTES) return null;
  // To count costs ten times as much.
  if (isMeasured(request)) return await request.text();
  const bytes = await readLimited(request, MAX_BYTES);
  return bytes && utf8.decode(bytes);
}

async function readText(request: Request): Promise<string> {
  if (request.bodyUsed) {
    throw new ConfigurationError(
      "The body of this request has been read already: call auth.handle() before anything else reads it",
    );
  }
  const text = await readWithin(request).catch((cause) => {
    throw new RequestError("The body broke off", { cause });
  });
  // A request that a program has made may announce what it likes.
  if (text === null || text.length > MAX_BYTES) {
    throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
  }
  // What stands in the place of bytes that are no UTF-8. Nobody types it.
  if (text.includes("\uFFFD")) throw new RequestError("The body is not UTF-8");
  return text;
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
 * @throws {ConfigurationError} When something else has read the body.
 * @throws {RequestError} 413 above 32 KiB, 415 for other types, 400 for what is malformed.
 */
export async function readFields(
  request: Request,
  options: { optional: boolean },
): Promise<ReadonlyMap<string, string>> {
  const type = mediaType(request);
  const isJson = type === "application/json";
  const isKnown = isJson || type === "application/x-www-form-urlencoded";
  const { optional } = options;
  const text = isKnown || (optional && type === null) ? await readText(request) : null;
  if (optional && text === "") return new Map();
  if (text === null || !isKnown) {
    throw new RequestError(undefined, { code: "UNSUPPORTED_MEDIA_TYPE" });
  }
  return isJson ? parseJson(text) : readPairs(new URLSearchParams(text), "field of the form");
}
