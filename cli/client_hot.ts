/**
 * Entry of the client components' scripts in development, which renews components after an edit.
 * `framework dev` generates them; do not import it directly.
 *
 * @example The script of `app/_components/counter.tsx`, as `framework dev` writes it
 * ```ts
 * import { hotIslands } from "@framework/cli/client/hot";
 * import { throws } from "node:assert/strict";
 *
 * // import * as counter from "…/app/_components/counter.tsx";
 * const counter = { Counter: () => null };
 * throws(() => hotIslands(import.meta.url, counter), TypeError); // this is no browser
 * ```
 *
 * @module
 */
import * as components from "./client_jsx.ts";
import * as runtime from "./client_jsx_runtime.ts";

export { hotIslands } from "./client/hot.ts";

/**
 * Everything that components may import from the framework: in development one script has it, which
 * no edit of a component changes, so that what an edit loads is of the same Preact.
 *
 * @example
 * ```ts
 * import { wholeRuntime } from "@framework/cli/client/hot";
 * import { ok } from "node:assert/strict";
 *
 * ok(wholeRuntime.every((part) => typeof part === "object"));
 * ```
 */
export const wholeRuntime: readonly object[] = [components, runtime];
