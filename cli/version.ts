/** Version of `@framework/cli`. A constant, because the npm package does not contain `deno.json`. */
export const VERSION = "0.1.0";
