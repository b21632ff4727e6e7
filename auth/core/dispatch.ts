/**
 * Dispatch of requests to endpoints.
 *
 * @module
 */

import { CrossSiteRequestError, RequestError } from "../errors.ts";
import { receiveFields } from "../lib/body.ts";
import type { EndpointContext, EndpointEntry, RequestStore } from "./contracts.ts";
import { assertSameOrigin } from "./origin.ts";

/** The methods of a path: its own, or those of the path that has any last segment in its place. */
export function findMethods(table: EndpointTable, path: string): ReturnType<EndpointTable["get"]> {
  const last = path.lastIndexOf("/") + 1;
  return table.get(path) ?? (last < path.length ? table.get(`${path.slice(0, last)}*`) : undefined);
}

/**
 * Finds the endpoint and calls it, with the body of the request received. Whoever is refused here is refused before it is
 * read.
 *
 * @throws {RequestError} 404, and 405 with what is allowed.
 * @throws {CrossSiteRequestError} For a request that another site's page made.
 */
export function dispatch(
  table: EndpointTable,
  path: string,
  context: EndpointContext,
): Response | Promise<Response> {
  const { request } = context.store;
  const methods = findMethods(table, path);
  if (methods === undefined) throw new RequestError(undefined, { code: "NOT_FOUND" });
  const entry = methods.get(request.method === "HEAD" ? "GET" : request.method);
  if (entry === undefined) {
    throw new RequestError(undefined, {
      code: "METHOD_NOT_ALLOWED",
      allow: allowedMethods(methods),
    });
  }
  if (entry.crossSite !== true) refuseCrossSite(context.store);
  return entry.method === "GET" ? entry.endpoint(context) : answerReceived(entry, context);
}

async function answerReceived(
  { endpoint }: EndpointEntry,
  context: EndpointContext,
): Promise<Response> {
  await receiveFields(context.store.request);
  return await endpoint(context);
}

/** The endpoints of one application: path below `basePath`, then method. */
export type EndpointTable = ReadonlyMap<string, ReadonlyMap<string, EndpointEntry>>;

/** The methods that a path answers, as the Allow header writes them. */
export function allowedMethods(methods: ReadonlyMap<string, EndpointEntry>): string {
  return [...methods.keys()].join(", ").replace("GET", "GET, HEAD");
}

/**
 * Refuses a request that another site's page made, and reports it.
 *
 * @throws {CrossSiteRequestError} When the request is refused.
 */
export function refuseCrossSite({ request, auth, report }: RequestStore): void {
  try {
    assertSameOrigin(request, {
      ownOrigin: auth.origin(),
      trustedOrigins: auth.settings.trustedOrigins,
    });
  } catch (error) {
    if (error instanceof CrossSiteRequestError) {
      const path = new URL(request.url).pathname;
      report({ type: "origin-refused", path, origin: request.headers.get("origin") });
    }
    throw error;
  }
}
