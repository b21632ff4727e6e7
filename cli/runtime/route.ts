import type { InputReader } from "./schema.ts";
import { type RouteArgs, takeInput } from "./loaders.ts";
import type { ManifestRoute } from "./manifest.ts";
import { allowedMethods } from "./methods.ts";
import { DataResult } from "./results.ts";
import type { RouteHandler } from "./types.ts";

type Answering = { kind: string; file: string; module: ManifestRoute["module"] };

/** Classes of results that JSON does not hold; most runtimes make `{}` or nothing of them without a word. */
const NO_JSON = [Map, Set, ReadableStream, Function, Symbol, BigInt];

/**
 * Answers a request for an API route whose method is allowed. Any result but a `Response` becomes
 * JSON.
 *
 * @throws {TypeError} For a result that JSON cannot hold, naming the file.
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
  const [value, init] = result instanceof DataResult ? [result.value, result] : [result, {}];
  let text: string | undefined;
  try {
    text = writeJson(value);
  } catch (cause) {
    throw new TypeError(
      `${request.method} of ${route.file} returned what JSON cannot hold. Return plain data, such as [...map], or a Response.`,
      { cause },
    );
  }
  return json(text, init);
}

/** Returns a result as JSON; undefined for none. */
function writeJson(value: unknown): string | undefined {
  const kind = NO_JSON.find((each) => Object(value) instanceof each);
  if (kind && !Object(value).toJSON) throw new TypeError(`The result is a ${kind.name}.`);
  return JSON.stringify(value);
}

/** Returns the default response to OPTIONS. */
export function optionsResponse(route: Answering): Response {
  return new Response(null, { status: 204, headers: { allow: allowedMethods(route).join(", ") } });
}

function json(text: string | undefined, init: ResponseInit): Response {
  const { status = 200 } = init;
  const headers = new Headers(init.headers);
  if (text === undefined) {
    return new Response(null, { status: status === 200 ? 204 : status, headers });
  }
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return new Response(text, { status, headers });
}
