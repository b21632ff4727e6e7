/**
 * Client of an application's routes, for client components and other programs, typed by the routes'
 * own files.
 *
 * @example
 * ```ts
 * import { createApiClient } from "@framework/cli/api";
 * import { equal, throws } from "node:assert/strict";
 *
 * // import type * as me from "../api/me/route.ts";
 * const me = { GET: () => ({ name: "Ada" }) };
 * const api = createApiClient<{ "/api/me": typeof me }>();
 * const showName = async () => (await api.GET("/api/me")).name;
 *
 * // Another application takes no cookies: it needs a token.
 * throws(() => createApiClient({ base: "https://b.example", token: "" }), TypeError);
 * equal(showName.length, 0);
 * ```
 *
 * @module
 */
export {
  type ApiArguments,
  type ApiCall,
  type ApiCallOptions,
  type ApiClient,
  type ApiClientOptions,
  ApiError,
  type ApiInput,
  type ApiMethod,
  type ApiParams,
  type ApiPaths,
  type ApiResult,
  type ApiRoutes,
  type ApiSent,
  createApiClient,
  type Json,
  type RemoteApiRoutes,
} from "./client/api_client.ts";
