import { d1Error } from "./d1_errors.ts";

/** What SQLite is given for a bound value. */
export type BoundValue = number | string | null | Uint8Array;

/** What a row holds: D1 answers in JSON, so a blob is an array of bytes. */
export type RowValue = number | string | null | number[];

/**
 * Converts a value given to `bind()` as D1 does: booleans become 0 and 1, buffers and arrays of
 * bytes become blobs, and every number is a REAL until a column's affinity says otherwise.
 *
 * @throws {Error} `D1_TYPE_ERROR` for `undefined`, dates, objects, bigints, symbols and functions.
 */
export function toBoundValue(value: unknown): BoundValue {
  if (typeof value === "number") {
    // The value travels as JSON, which has neither infinities nor a negative zero.
    return Number.isFinite(value) ? (value === 0 ? 0 : value) : null;
  }
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null) return null;
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value)) return Uint8Array.from(Array.from(value as Uint8Array));
  if (Array.isArray(value) && value.every(isByte)) return Uint8Array.from(value);
  throw d1Error(
    "D1_TYPE_ERROR",
    `Type '${typeof value}' not supported for value '${String(value)}'`,
  );
}

/** Converts a value that SQLite returned to what D1's JSON holds. */
export function fromColumnValue(value: unknown): RowValue {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof Uint8Array) return Array.from(value);
  return typeof value === "string" ? value : null;
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 256;
}
