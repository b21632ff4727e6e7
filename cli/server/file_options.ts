import { Buffer } from "node:buffer";
import type { ObjectConditions, ObjectMetadata, ObjectRange } from "../runtime/bindings.ts";
import { type ListOptions, readListOptions } from "./file_list_options.ts";
import { readCustomMetadata, readHttpMetadata, writeHttpMetadata } from "./file_metadata.ts";
import {
  checkOptions,
  isObject,
  parseDate,
  toDate,
  wrongField,
  wrongType,
} from "./file_option_checks.ts";

/** Hash of a value; every object has the first one. */
export type HashName = "md5" | "sha1" | "sha256" | "sha384" | "sha512";

/** A hash as an application gives it. */
export type Hash = string | ArrayBuffer | ArrayBufferView;

/** Values that are compared with the conditions. */
export interface Version {
  /** ETag without quotes. */
  etag: string;
  /** Milliseconds since 1970. */
  uploaded: number;
}

/** Entity tag of a condition. */
export interface EntityTag {
  /** Text without quotes. */
  value: string;
  /** True for one with `W/` before it. */
  isWeak: boolean;
  /** True for the `*` that stands for every object. */
  isAny: boolean;
}

/** Conditions in one form. */
export interface Conditions {
  /** ETags of which the object must have one; null without such a condition. */
  matches: EntityTag[] | null;
  /** ETags of which the object must have none; null without such a condition. */
  doesNotMatch: EntityTag[] | null;
  /** Milliseconds since 1970 before which the object was uploaded. */
  before: number | null;
  /** Milliseconds since 1970 after which the object was uploaded. */
  after: number | null;
  /** True when times are compared by the second, as those of headers are. */
  bySecond: boolean;
}

/**
 * Reads the conditions of a call, or those of a request's headers (RFC 9110, 13.1).
 *
 * @param method Name for messages.
 * @throws {TypeError} For what is neither, and an entity tag in quotes that are not its own.
 */
export function readConditions(
  method: string,
  given: ObjectConditions | Headers | undefined,
): Conditions {
  if (given instanceof Headers) return readConditionalHeaders(given);
  if (given !== undefined && !isObject(given)) throw wrongField(method, "onlyIf", "Conditional");
  const { etagMatches, etagDoesNotMatch, uploadedBefore, uploadedAfter, ...rest } = given ?? {};
  checkOptions(method, rest, ["secondsGranularity"]);
  return {
    matches: toTags("etagMatches", etagMatches),
    doesNotMatch: toTags("etagDoesNotMatch", etagDoesNotMatch),
    before: toTime("uploadedBefore", uploadedBefore),
    after: toTime("uploadedAfter", uploadedAfter),
    bySecond: rest.secondsGranularity === true,
  };
}

function toTags(field: string, value: string | undefined): EntityTag[] | null {
  if (value === undefined) return null;
  if (typeof value !== "string") throw wrongType("Conditional", field, "string");
  if (/^".*"$/.test(value)) {
    throw new TypeError(`Conditional ETag should not be wrapped in quotes (${value}).`);
  }
  return [{ value, isWeak: false, isAny: value === "*" }];
}

function toTime(field: string, value: Date | undefined): number | null {
  return value === undefined ? null : toDate("Conditional", field, value).getTime();
}

function readConditionalHeaders(headers: Headers): Conditions {
  const time = (name: string): number | null => {
    const value = headers.get(name);
    return value === null ? null : parseDate(value);
  };
  return {
    matches: readTags(headers, "if-match"),
    doesNotMatch: readTags(headers, "if-none-match"),
    before: time("if-unmodified-since"),
    after: time("if-modified-since"),
    bySecond: true,
  };
}

function readTags(headers: Headers, name: string): EntityTag[] | null {
  const text = headers.get(name);
  if (text === null) return null;
  // A `*` among tags counts, too.
  const tags = text.match(/(?:W\/)?"[^"]*"|\*/g) ?? [];
  const rest = text.replace(/(?:W\/)?"[^"]*"|\*/g, "");
  if (tags.length === 0 || !/^[\s,]*$/.test(rest) || rest.split(",").length < tags.length) {
    throw new Error(`Invalid ETag in ${name} header`);
  }
  return tags.map((tag) => ({
    value: tag.replace(/^(?:W\/)?"|"$/g, ""),
    isWeak: tag.startsWith("W/"),
    isAny: tag === "*",
  }));
}

/** Returns true when conditions hold; without an object, only those that require its absence do. */
export function holds(conditions: Conditions, object: Version | null): boolean {
  const { matches, doesNotMatch, before, after, bySecond } = conditions;
  if (object === null) return matches === null && after === null;
  const names = ({ value, isAny }: EntityTag): boolean => isAny || value === object.etag;
  if (matches !== null && !matches.some((tag) => !tag.isWeak && names(tag))) return false;
  if (doesNotMatch !== null && doesNotMatch.some(names)) return false;
  const unit = (time: number): number => bySecond ? Math.floor(time / 1000) : time;
  const uploaded = unit(object.uploaded);
  // Of a tag and a time the tag alone counts (RFC 9110, 13.2.2).
  return (before === null || matches !== null || uploaded < unit(before)) &&
    (after === null || doesNotMatch !== null || unit(after) < uploaded);
}

/**
 * Reads which part of the content a call asks for.
 *
 * @param given A range, or headers with one. Default: all of it.
 * @param size Bytes of the object.
 * @throws {Error} When the object has no such part. Headers that ask for none, or several, ask for the whole.
 */
export function readRange(
  given: ObjectRange | Headers | undefined,
  size: number,
): { offset: number; length: number } {
  const range = given instanceof Headers ? readRangeHeader(given, size) : given ?? {};
  if (!isObject(range)) throw wrongField("get", "range", "Range");
  checkOptions("get", range, ["offset", "length", "suffix"]);
  const { suffix } = range;
  if (suffix !== undefined) {
    for (const name of ["offset", "length"] as const) {
      if (range[name] !== undefined) throw new TypeError(`Suffix is incompatible with ${name}.`);
    }
    checkNumber("suffix", "Suffix", suffix);
    if (suffix === 0) throw unsatisfiable();
    const length = Math.min(suffix, size);
    return { offset: size - length, length };
  }
  const { offset = 0 } = range;
  checkNumber("range", "Starting offset", offset);
  if (range.length !== undefined) checkNumber("range", "Length", range.length);
  if ((offset > 0 && offset >= size) || range.length === 0) throw unsatisfiable();
  return { offset, length: Math.min(range.length ?? size, size - offset) };
}

function readRangeHeader(headers: Headers, size: number): ObjectRange {
  const asked = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.get("range") ?? "");
  const [, first = "", last = ""] = asked ?? [];
  if (first === "") return Number(last) > 0 ? { suffix: Number(last) } : {};
  const offset = Number(first);
  const length = last === "" ? size - offset : Number(last) - offset + 1;
  return offset < size && length > 0 ? { offset, length } : {};
}

function checkNumber(what: string, name: string, value: number): void {
  if (value < 0) {
    throw new RangeError(
      `Invalid ${what}. ${name} (${value}) must be greater than or equal to 0.`,
    );
  }
  if (Number.isInteger(value)) return;
  throw new RangeError(
    `Invalid ${what}. ${name} (${value}) must be an integer, not floating point.`,
  );
}

function unsatisfiable(): Error {
  return new Error("get: The requested range is not satisfiable (10039)");
}

/** Names of the hashes: as an option, in messages, and their bytes. */
const HASHES: Record<HashName, [title: string, size: number]> = {
  md5: ["MD5", 16],
  sha1: ["SHA-1", 20],
  sha256: ["SHA-256", 32],
  sha384: ["SHA-384", 48],
  sha512: ["SHA-512", 64],
};

/** Options that name the hash of a value. */
export const HASH_NAMES: readonly HashName[] = Object.keys(HASHES) as HashName[];

/**
 * Reads the hash that a value must have.
 *
 * @returns Its name and its hexadecimal digits; null when none is given.
 * @throws {TypeError} For several, and for what is none.
 */
export function readHash(given: { [name in HashName]?: Hash }): [HashName, string] | null {
  const [name, ...more] = HASH_NAMES.filter((each) => given[each] !== undefined);
  if (name === undefined) return null;
  if (more.length > 0) throw new TypeError("You cannot specify multiple hashing algorithms.");
  const [title, size] = HASHES[name];
  const value = given[name]!;
  if (typeof value === "string") {
    if (value.length !== size * 2) {
      throw new TypeError(`${title} is ${size * 2} hex characters, not ${value.length}`);
    }
    if (/^[0-9a-f]*$/i.test(value)) return [name, value.toLowerCase()];
    throw new TypeError(`Provided ${title} wasn't a valid hex string`);
  }
  const bytes = value instanceof ArrayBuffer
    ? Buffer.from(value)
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes.length === size) return [name, bytes.toString("hex")];
  throw new TypeError(`${title} is ${size} bytes, not ${bytes.length}`);
}

/** The error about a value that has another hash. */
export function wrongHash([name, expected]: [HashName, string], actual: string): Error {
  const [title] = HASHES[name];
  return new Error(
    `put: The ${title} checksum you specified did not match what we received.\n` +
      `You provided a ${title} checksum with value: ${expected}\n` +
      `Actual ${title} was: ${actual} (10037)`,
  );
}

/** Rules of the platform about the options of a bucket's methods, with its messages. */
export interface BucketRules {
  /** Names of the options that state a hash. */
  readonly hashNames: readonly HashName[];
  /** Refuses options that are not known. */
  checkOptions(method: string, given: object, known: readonly string[]): void;
  /** Reads conditions, or those of a request's headers. */
  readConditions(method: string, given: ObjectConditions | Headers | undefined): Conditions;
  /** Returns true when conditions hold for an object, or for its absence. */
  holds(conditions: Conditions, object: Version | null): boolean;
  /** Reads a range, or that of a request's headers, of an object of so many bytes. */
  readRange(
    given: ObjectRange | Headers | undefined,
    size: number,
  ): { offset: number; length: number };
  /** Reads the hash that a value must have, in hexadecimal digits. */
  readHash(given: { [name in HashName]?: Hash }): [HashName, string] | null;
  /** Creates the error about a value that has another hash. */
  wrongHash(expected: [HashName, string], actual: string): Error;
  /** Reads metadata, or that of headers. */
  readHttpMetadata(method: string, given?: ObjectMetadata | Headers | null): ObjectMetadata;
  /** Sets the headers of metadata. */
  writeHttpMetadata(metadata: ObjectMetadata, headers: Headers): void;
  /** Reads metadata of the application's own. */
  readCustomMetadata(
    method: string,
    given: Record<string, string> | undefined,
  ): Record<string, string>;
  /** Reads options for listing. */
  readListOptions(
    given: ListOptions | null | undefined,
  ): ListOptions & { limit: number; prefix: string };
}

/**
 * The rules that the buckets of a server and the double of the test kit have in common.
 *
 * @example
 * ```ts
 * import { bucketRules } from "@framework/cli/testing";
 * import { deepEqual } from "node:assert/strict";
 *
 * const range = new Headers({ range: "bytes=1-3" });
 * deepEqual(bucketRules.readRange(range, 10), { offset: 1, length: 3 });
 * ```
 */
export const bucketRules: BucketRules = {
  hashNames: HASH_NAMES,
  checkOptions,
  readConditions,
  holds,
  readRange,
  readHash,
  wrongHash,
  readHttpMetadata,
  writeHttpMetadata,
  readCustomMetadata,
  readListOptions,
};
