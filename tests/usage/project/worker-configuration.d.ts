// What `wrangler types` writes, as far as it is used here.
declare module "cloudflare:workers" {
  export class DurableObject<Env = unknown> {
    // deno-lint-ignore no-explicit-any -- the state, of which each test uses a part.
    protected ctx: any;
    protected env: Env;
    constructor(ctx: unknown, env: Env);
  }
  export class RpcTarget {}
  export class WorkerEntrypoint<Env = unknown> {
    protected ctx: unknown;
    protected env: Env;
    constructor(ctx: unknown, env: Env);
    fetch?(request: Request): Response | Promise<Response>;
  }
  export class WorkflowEntrypoint<Env = unknown, Params = unknown> {
    protected ctx: unknown;
    protected env: Env;
    constructor(ctx: unknown, env: Env);
  }
  // deno-lint-ignore no-explicit-any -- the value, and its methods as those of a promise.
  export class RpcStub<Value = any> {
    constructor(value: Value);
  }
  export const env: Record<string, unknown>;
  export const exports: Record<string, unknown>;
  export function waitUntil(work: Promise<unknown>): void;
  export function withEnv<Result>(env: unknown, run: () => Result): Result;
}
