/**
 * Refuses options that a server does not have: one that is ignored would be taken for done.
 *
 * @param method Name for the message.
 * @param given Options of a call.
 * @param known Names of those that are read.
 * @throws {TypeError} For another one.
 */
export function checkOptions(method: string, given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (known.includes(name) || value === undefined) continue;
    if (name === "storageClass" && value === "Standard") continue;
    throw new TypeError(
      `${method}: A server does not support the option ${name}` +
        (name === "storageClass" ? ` with the value ${JSON.stringify(value)}.` : "."),
    );
  }
}

/** Reads a date, or its number. */
export function toDate(owner: string, field: string, value: unknown): Date {
  if (typeof value !== "number" && !(value instanceof Date)) throw wrongType(owner, field, "date");
  const date = new Date(value);
  if (!Number.isNaN(date.getTime())) return date;
  throw new TypeError("The value cannot be converted because it is not a valid Date.");
}

/** Reads a date of a header; a text that is none is the first of all, as on the platform. */
export function parseDate(text: string): number {
  return Date.parse(text) || 0;
}

/** Returns true for an object. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The error about an option that takes headers, too. */
export function wrongField(method: string, field: string, type: string): TypeError {
  return wrongType(optionsOf(method), field, `${type} or Headers`);
}

/** Name of the options of a method. */
export function optionsOf(method: string): string {
  return method === "createMultipartUpload"
    ? "MultipartOptions"
    : `${method[0]!.toUpperCase()}${method.slice(1)}Options`;
}

/** The error about a field of another type. */
export function wrongType(owner: string, field: string, type: string): TypeError {
  return new TypeError(
    `Incorrect type for the '${field}' field on '${owner}': the provided value is not of type '${type}'.`,
  );
}
