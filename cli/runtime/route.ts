import type { InputReader } from "./schema.ts";
import { type RouteArgs, takeInput } from "./loaders.ts";
import type { ManifestRoute } from "./manifest.ts";
import { allowedMethods } from "./methods.ts";
import { DataResult } from "./results.ts";
import type { RouteHandler } from "./types.ts";

type Answering = { kind: string; module: ManifestRoute["module"] };

/**
 * Answers a request for an API route whose method is allowed. Any result but a `Response` becomes
 * JSON.
 */
export async function handleRoute(
  route: Answering,
  args: RouteArgs,
  read?: InputReader,
): Promise<Response> {
  const { request, context } = args;
  const handler = (route.module[request.method] ??
    (request.method === "HEAD" ? route.module["GET"] : undefined)) as RouteHandler | undefined;
  if (!handler) return optionsResponse(route);
  const input = await takeInput(route, args, read);
  if (input?.error) throw input.error;
  const result = await handler(request, context);
  if (result instanceof Response) return result;
  if (result instanceof DataResult) return json(result.value, result);
  return json(result, {});
}

/** Returns the default response to OPTIONS. */
export function optionsResponse(route: Answering): Response {
  return new Response(null, { status: 204, headers: { allow: allowedMethods(route).join(", ") } });
}

function json(value: unknown, init: ResponseInit): Response {
  const { status, headers } = init;
  const options = {
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
  };
  if (value === undefined) {
    return new Response(null, {
      ...options,
      status: status === undefined || status === 200 ? 204 : status,
    });
  }
  return Response.json(value, options);
}
