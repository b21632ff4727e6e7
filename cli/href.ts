/**
 * Links to the application's own routes, for pages, routes and client components.
 *
 * @example
 * ```ts
 * import { href } from "@framework/cli/href";
 * import { equal } from "node:assert/strict";
 *
 * equal(href("/t/[tenant]/issues", { tenant: "a b" }, { query: { page: 2 } }), "/t/a%20b/issues?page=2");
 * ```
 *
 * @module
 */
export {
  href,
  type LinkArguments,
  type LinkOptions,
  type LinkParams,
  type LinkValue,
} from "./client/href.ts";
export type { LinkPath } from "./runtime/register.ts";
