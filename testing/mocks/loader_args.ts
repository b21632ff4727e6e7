import type { LoaderArgs, Params } from "@framework/cli/runtime";
import { createMockContext, type MockContextOptions } from "./context.ts";
import { createMockRequest } from "./request.ts";

// deno-lint-ignore no-explicit-any -- any loader, whatever it takes.
type AnyLoader = (...args: any[]) => unknown;
// deno-lint-ignore no-explicit-any -- fits every loader.
type AnyArgs = LoaderArgs<any, any>;

/** The arguments of a loader, whole also when it declares only some of them. */
export type MockLoaderArgs<L extends AnyLoader> = Parameters<L> extends [infer A, ...unknown[]]
  ? A & LoaderArgs<EnvOf<A>, ParamsOf<A>>
  : AnyArgs;

// deno-lint-ignore no-explicit-any -- a loader that does not say fits every environment.
type EnvOf<A> = A extends { context: { env: infer Env extends object } } ? Env : any;
// deno-lint-ignore no-explicit-any -- a loader that does not say fits all parameters.
type ParamsOf<A> = A extends { params: infer P extends Params } ? P : any;

/** What `createMockLoaderArgs` takes. */
export interface MockLoaderArgsOptions<L extends AnyLoader> {
  /** What the path's dynamic segments held. Default: none. */
  params?: ParamsOf<Parameters<L>[0]>;
  /** Default: `GET http://localhost/`. */
  request?: Request;
  /** Environment and user, as `createMockContext` takes them. */
  context?: Pick<MockContextOptions<Partial<EnvOf<Parameters<L>[0]>>, Params>, "env" | "auth">;
  /** The project's folder. Default: the current one. */
  cwd?: string;
}

/**
 * Makes the arguments of a loader or an action that is called directly. `context.db` is a real
 * database with the project's migrations applied, a new one for each call.
 *
 * @param options Parameters, request and context; typed by the loader when it is named.
 * @example
 * ```ts
 * import { type LoaderArgs, notFound } from "@framework/cli/runtime";
 * import { createMockLoaderArgs } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * async function loader({ params, context }: LoaderArgs<object, { id: string }>) {
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
export function createMockLoaderArgs<L extends AnyLoader = (args: AnyArgs) => unknown>(
  options: MockLoaderArgsOptions<L> = {},
): MockLoaderArgs<L> {
  const params = (options.params ?? {}) as Params;
  const { cwd, context, request = createMockRequest("/") } = options;
  const args: AnyArgs = {
    params,
    request,
    context: createMockContext({
      params,
      ...(context as MockContextOptions<object, Params>),
      ...(cwd === undefined ? {} : { cwd }),
    }),
  };
  return args as MockLoaderArgs<L>;
}
