/** Version of `@framework/cli`. A constant, because `deno.json` does not travel in the npm package. */
export const VERSION = "0.1.0";
