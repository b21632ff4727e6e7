import { TestingError } from "../errors.ts";
import { createAutoMock, isProbe } from "./auto_mock.ts";
import type { Mocked } from "./mock_types.ts";
import { projectEnv } from "./project_env.ts";

/** What `createMockEnv` takes. */
export interface MockEnvOptions<Env> {
  /** Bindings and variables that win over all others; used as they are. Default: none. */
  env?: Partial<NoInfer<Env>>;
  /** Whether a name that neither the platform file nor `env` has throws. Default: false. */
  strict?: boolean;
  /** The project's folder. Default: the current one. */
  cwd?: string;
}

/** The environment that `createMockEnv` makes: every method of every binding is a mock function. */
// deno-lint-ignore no-explicit-any -- without a type, a binding of any name is there.
export type MockEnv<Env> = 0 extends 1 & Env ? any : { [K in keyof Env]: Mocked<Env[K]> };

// Those that are used as they are, because their bindings appear on first use.
const mockEnvs = new WeakSet<object>();

/** Whether `createMockEnv` made an environment. */
export function isMockEnv(env: object): boolean {
  return mockEnvs.has(env);
}

/**
 * Makes an environment for a handler that is called directly.
 *
 * What the platform file names works: databases with the migrations applied, namespaces, buckets
 * and queues that store, variables. Every method is a mock function too. A binding of any other name
 * appears on first use, as a mock function of which every property is one too.
 *
 * Names are read from `wrangler.json` or `wrangler.jsonc` in the project's folder.
 *
 * @param options See {@linkcode MockEnvOptions}.
 * @throws {TestingError} `PROJECT` when the platform file is wrong; in strict mode `UNKNOWN_BINDING`
 * when an unknown name is used.
 * @example
 * ```ts
 * import { createMockEnv } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * interface Env {
 *   MAILER: { send(mail: { to: string }): Promise<{ id: string }> };
 * }
 *
 * const env = createMockEnv<Env>();
 * env.MAILER.send.mockResolvedValue({ id: "1" });
 * assert.deepEqual(await env.MAILER.send({ to: "ada@example.com" }), { id: "1" });
 * assert.deepEqual(env.MAILER.send.mock.calls, [[{ to: "ada@example.com" }]]);
 * ```
 */
// deno-lint-ignore no-explicit-any -- without a type, a binding of any name is there.
export function createMockEnv<Env = any>(options: MockEnvOptions<Env> = {}): MockEnv<Env> {
  const bindings: Record<string, unknown> = { ...projectEnv(options.cwd), ...options.env };
  const env = new Proxy(bindings, {
    get(target, property) {
      if (isProbe(property) || property in target) return Reflect.get(target, property);
      const name = String(property);
      if (options.strict === true) throw unknownBinding(name, Object.keys(target));
      return target[name] = createAutoMock(`env.${name}`);
    },
  });
  mockEnvs.add(env);
  return env as MockEnv<Env>;
}

function unknownBinding(name: string, known: string[]): TestingError {
  const list = known.length === 0 ? "none" : known.toSorted().join(", ");
  return new TestingError(
    "UNKNOWN_BINDING",
    `env.${name} was used, and neither the platform file nor the test declares it. What there ` +
      `is: ${list}. Correct the name, declare the binding, or pass createMockEnv({ env: { ${name}: … } }).`,
  );
}
