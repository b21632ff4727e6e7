import process from "node:process";

/**
 * Returns the address of the database that stands for a Hyperdrive configuration on a developer's machine, in wrangler's
 * own order: the variable `CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_<BINDING>` of the process, then
 * `localConnectionString` of the platform file.
 *
 * @param entry Entry of the platform file, below `hyperdrive`.
 * @param variables Variables of the process. Default: `process.env`.
 * @returns Undefined when neither names one.
 *
 * @example
 * ```ts
 * import { hyperdriveAddress } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * const entry = { binding: "BOOKS", localConnectionString: "postgres://localhost/books" };
 * equal(hyperdriveAddress(entry, {}), "postgres://localhost/books");
 * ```
 */
export function hyperdriveAddress(
  { binding, localConnectionString }: { binding?: unknown; localConnectionString?: unknown },
  variables: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const named = ["CLOUDFLARE", "WRANGLER"]
    .map((tool) => variables[`${tool}_HYPERDRIVE_LOCAL_CONNECTION_STRING_${binding}`])
    .find((address) => address !== undefined && address !== "");
  return named ??
    (typeof localConnectionString === "string" ? localConnectionString : undefined);
}
