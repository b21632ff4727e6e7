/**
 * The endpoints of an application's authentication as OpenAPI 3.1 documents, from which clients in any language are made.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, credentials } from "@framework/auth";
 * import { describeAuth } from "@framework/auth/openapi";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [credentials({
 *     credentials: { pin: { label: "PIN", type: "password", required: true } },
 *     authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
 *   })],
 * });
 * const { paths } = describeAuth(auth);
 * deepEqual(Object.keys(paths["/signin/credentials"] ?? {}), ["post"]);
 * ```
 *
 * @module
 */

export {
  describeAuth,
  type DescribeAuthOptions,
  type OpenApiDocument,
} from "./openapi/document.ts";
export type { Json, JsonObject } from "./openapi/schemas.ts";
