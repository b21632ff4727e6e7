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
  type LinkQuery,
  type LinkValue,
  type QueryInput,
  type QueryName,
  type QueryOf,
  type QuerySchemaOf,
  type QueryValue,
} from "./client/href.ts";
export type { LinkPath, Links } from "./runtime/register.ts";
