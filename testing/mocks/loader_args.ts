import type { LoaderArgs, Params } from "@framework/cli/runtime";
import { createMockContext, type MockContextOptions } from "./context.ts";
import { createMockRequest } from "./request.ts";

/** Any loader or action, whatever it takes. */
// deno-lint-ignore no-explicit-any -- of its parameters nothing is known.
export type AnyLoader = (...args: any[]) => unknown;

/** The arguments of a loader, whole also when it declares only some of them. */
export type MockLoaderArgs<L extends AnyLoader> = Parameters<L> extends [infer A, ...unknown[]]
  ? A & LoaderArgs<EnvOf<A>, ParamsOf<A>>
  // deno-lint-ignore no-explicit-any -- fits every loader.
  : LoaderArgs<any, any>;

/** The environment that the arguments of a loader declare. One that declares none fits every environment. */
// deno-lint-ignore no-explicit-any -- as said.
export type EnvOf<A> = A extends { context: { env: infer Env extends object } } ? Env : any;

/** The parameters of the path that the arguments of a loader declare. One that declares none fits all. */
// deno-lint-ignore no-explicit-any -- as said.
export type ParamsOf<A> = A extends { params: infer P extends Params } ? P : any;

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
// deno-lint-ignore no-explicit-any -- fits every loader.
export function createMockLoaderArgs<L extends AnyLoader = (args: LoaderArgs<any, any>) => unknown>(
  options: MockLoaderArgsOptions<L> = {},
): MockLoaderArgs<L> {
  const params = (options.params ?? {}) as Params;
  const { cwd, context, request = createMockRequest("/") } = options;
  // deno-lint-ignore no-explicit-any -- fits every loader.
  const args: LoaderArgs<any, any> = {
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
