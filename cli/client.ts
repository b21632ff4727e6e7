/**
 * Entry of the client components' scripts in the browser. `framework build` generates them; do not
 * import it directly.
 *
 * @example The script of `app/_components/counter.tsx`, as the build writes it
 * ```ts
 * import { hydrateIslands } from "@framework/cli/client";
 * import { throws } from "node:assert/strict";
 *
 * // import * as counter from "…/app/_components/counter.tsx";
 * const counter = { Counter: () => null };
 * throws(() => hydrateIslands(import.meta.url, counter), TypeError); // this is no browser
 * ```
 *
 * @module
 */
export { hydrateIslands } from "./client/hydrate.ts";
