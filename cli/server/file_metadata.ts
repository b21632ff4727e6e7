import {
  checkOptions,
  isObject,
  optionsOf,
  parseDate,
  toDate,
  wrongField,
  wrongType,
} from "./file_option_checks.ts";
import type { ObjectMetadata } from "../runtime/bindings.ts";

const HEADERS: [keyof ObjectMetadata, string][] = [
  ["contentType", "content-type"],
  ["contentLanguage", "content-language"],
  ["contentDisposition", "content-disposition"],
  ["contentEncoding", "content-encoding"],
  ["cacheControl", "cache-control"],
  ["cacheExpiry", "expires"],
];

/**
 * Reads metadata, or the headers of it.
 *
 * @param method Name for the message.
 * @throws {TypeError} For metadata of another name.
 */
export function readHttpMetadata(
  method: string,
  given?: ObjectMetadata | Headers | null,
): ObjectMetadata {
  const metadata: Record<string, unknown> = {};
  if (given === undefined || given === null) return metadata;
  if (!isObject(given)) throw wrongField(method, "httpMetadata", "HttpMetadata");
  if (given instanceof Headers) {
    for (const [name, header] of HEADERS) {
      const value = given.get(header);
      if (value === null) continue;
      metadata[name] = name === "cacheExpiry" ? new Date(parseDate(value)) : value;
    }
    return metadata;
  }
  checkOptions(method, given, HEADERS.map(([name]) => name));
  for (const [name] of HEADERS) {
    const value: unknown = given[name];
    if (value === undefined) continue;
    metadata[name] = name === "cacheExpiry" ? toDate("HttpMetadata", name, value) : String(value);
  }
  return metadata;
}

/**
 * Reads metadata of the application's own; every value becomes text, as on the platform.
 *
 * @param method Name for the message.
 * @throws {TypeError} For what is no object.
 */
export function readCustomMetadata(
  method: string,
  given: Record<string, string> | undefined,
): Record<string, string> {
  if (given === undefined) return {};
  if (!isObject(given) || Array.isArray(given)) {
    throw wrongType(optionsOf(method), "customMetadata", "object");
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

/** Sets the headers of metadata. */
export function writeHttpMetadata(metadata: ObjectMetadata, headers: Headers): void {
  for (const [name, header] of HEADERS) {
    const value = metadata[name];
    if (value !== undefined) {
      headers.set(header, value instanceof Date ? value.toUTCString() : value);
    }
  }
}
