/** Options for listing. */
export interface ListOptions {
  /** At most 1000, which is the default. */
  limit?: number;
  /** Beginning of the keys. Default: none. */
  prefix?: string;
  /** Cursor of the page before. */
  cursor?: string;
  /** Delimiter after the prefix, by which keys are grouped. */
  delimiter?: string;
  /** Key behind which the list begins. */
  startAfter?: string;
  /** Metadata that the objects of the list have. Default: none. */
  include?: ("httpMetadata" | "customMetadata")[];
}

/** Largest number of objects of a page. */
const MAX_KEYS = 1000;

/**
 * Reads options for listing as the platform does: the limit is an integer, and texts are texts.
 *
 * @param given Options of a call; null is none.
 * @throws {TypeError} For options of another type.
 * @throws {RangeError} For metadata of another name.
 * @throws {Error} For a limit that is none.
 */
export function readListOptions(
  given: ListOptions | null | undefined,
): ListOptions & { limit: number; prefix: string } {
  const options = given ?? {};
  if (typeof options !== "object") {
    throw new TypeError(
      "Failed to execute 'list' on 'R2Bucket': parameter 1 is not of type 'ListOptions'.",
    );
  }
  for (const name of ["prefix", "cursor", "delimiter", "startAfter"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "string") throw wrongType(name, "string");
  }
  const { include } = options;
  if (include !== undefined && !Array.isArray(include)) throw wrongType("include", "Array");
  for (const name of include ?? []) {
    if (name === "httpMetadata" || name === "customMetadata") continue;
    throw new RangeError(`Unsupported include value ${name}`);
  }
  const { limit: asked = MAX_KEYS } = options;
  const limit = Math.trunc(Number(asked));
  if (!(limit >= 1 && limit <= MAX_KEYS)) {
    throw new Error("list: MaxKeys params must be positive integer <= 1000. (10022)");
  }
  return { ...options, limit, prefix: options.prefix ?? "" };
}

function wrongType(name: string, type: string): TypeError {
  return new TypeError(
    `Incorrect type for the '${name}' field on 'ListOptions': the provided value is not of type '${type}'.`,
  );
}
