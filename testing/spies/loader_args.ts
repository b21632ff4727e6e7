import { beginAtCallers } from "../errors.ts";
import type { LoaderArgs, Params, RequestContext, SearchParams } from "@framework/cli/runtime";
import { ORIGIN, resolveAddress } from "../context/fetch.ts";
import { createMockContext, isMockContext, type MockContextOptions } from "./context.ts";

/** Any loader or action, whatever it takes. */
// deno-lint-ignore no-explicit-any -- of its parameters nothing is known.
export type AnyLoader = (...args: any[]) => unknown;

/** All arguments of a loader, even when it declares only some of them. */
export type MockLoaderArgs<L extends AnyLoader> = Parameters<L> extends [infer A, ...unknown[]]
  ? A & Omit<LoaderArgs, keyof A>
  : LoaderArgs;

/** Path parameters that a loader's arguments declare; any parameters when they declare none. */
// deno-lint-ignore no-explicit-any -- as said.
export type ParamsOf<A> = A extends { params: infer P extends Params } ? P : any;

/** Options for `createMockLoaderArgs()`. */
export interface MockLoaderArgsOptions<L extends AnyLoader> {
  /** Values of the path's dynamic segments. Default: none. */
  params?: ParamsOf<Parameters<L>[0]>;
  /** Query as the loader receives it, for a page with `search` what the schema makes. Default: empty. */
  searchParams?: Parameters<L>[0] extends { searchParams: infer S } ? S : SearchParams;
  /** Default: `GET http://localhost/`. */
  request?: Request;
  /** What `createMockContext` takes, or a context that it made, whose parameters count where none are given here. */
  context?: Omit<MockContextOptions, "params" | "cwd"> | RequestContext;
  /** The project's folder. Default: the current one. */
  cwd?: string;
}

/**
 * Creates the arguments of a loader or an action that is called directly. `context.db` is a real
 * database with the project's migrations applied, new for each call.
 *
 * @param options Parameters, request and context; typed by the loader that is passed as the type argument.
 * @example
 * ```ts
 * import { type LoaderArgs, notFound } from "@framework/cli/runtime";
 * import { createMockLoaderArgs } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * async function loader({ params, context }: LoaderArgs<"/users/[id]">) {
 *   const user = await context.auth.getUser();
 *   return params.id === user?.id ? user : notFound();
 * }
 *
 * const auth = { getUser: () => Promise.resolve({ id: "ada" }) };
 * const args = createMockLoaderArgs<typeof loader>({ params: { id: "ada" }, context: { auth } });
 * assert.deepEqual(await loader(args), { id: "ada" });
 * await assert.rejects(loader(createMockLoaderArgs({ params: { id: "eve" } })), {
 *   message: "Not found",
 * });
 * ```
 */
export function createMockLoaderArgs<L extends AnyLoader = (args: LoaderArgs) => unknown>(
  options: MockLoaderArgsOptions<L> = {},
): MockLoaderArgs<L> {
  const { cwd, context: given = {}, request = createMockRequest("/") } = options;
  const made = isMockContext(given) ? given : null;
  const params = (options.params ?? made?.params ?? {}) as Params;
  const args: LoaderArgs = {
    params,
    searchParams: options.searchParams ?? {},
    request,
    context: made ?? createMockContext({
      params,
      ...given as MockContextOptions,
      ...(cwd === undefined ? {} : { cwd }),
    }),
  };
  return args as MockLoaderArgs<L>;
}

/** Options for `createMockRequest()`, besides the path. */
export interface MockRequestInit {
  /** Default: `POST` with a body, else `GET`. */
  method?: string;
  /** Default: none; `content-type: application/json` with a body that becomes JSON. */
  headers?: HeadersInit;
  /** Body for `fetch`, or a plain object or list, which becomes JSON. */
  body?: BodyInit | object | null;
}

/**
 * Creates a request for a handler, a loader or a middleware that is called directly.
 *
 * @param path Path with query, relative to `http://localhost` (a path also when it begins with
 * `//`), or an absolute URL.
 * @param init Method, headers and body.
 *
 * @example
 * ```ts
 * import { createMockRequest } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const request = createMockRequest("/api/items", { body: { name: "one" } });
 * assert.equal(request.method, "POST");
 * assert.equal(request.headers.get("content-type"), "application/json");
 * assert.deepEqual(await request.json(), { name: "one" });
 * ```
 */
export function createMockRequest(path: string, init: MockRequestInit = {}): Request {
  const headers = new Headers(init.headers);
  const given = init.body ?? null;
  const body = isPlain(given) ? JSON.stringify(given) : given as BodyInit | null;
  if (isPlain(given) && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const method = init.method ?? (body === null ? "GET" : "POST");
  return new Request(resolveAddress(path, ORIGIN), { method, headers, body });
}

function isPlain(body: BodyInit | object | null): boolean {
  if (typeof body !== "object" || body === null) return false;
  const prototype = Object.getPrototypeOf(body);
  return Array.isArray(body) || prototype === Object.prototype || prototype === null;
}

beginAtCallers(createMockLoaderArgs);
