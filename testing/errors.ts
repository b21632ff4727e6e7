/**
 * Error of a test helper: a mistake in the test or the project, not a failed expectation.
 *
 * @example
 * ```ts
 * import { createTestContext, TestingError } from "@framework/testing";
 * import { rejects } from "node:assert/strict";
 *
 * await rejects(
 *   createTestContext({ cwd: "/no/such/project" }),
 *   (error) => error instanceof TestingError && error.code === "PROJECT",
 * );
 * ```
 */
export class TestingError extends Error {
  /** Stable name of the reason. */
  readonly code: string;

  /**
   * Creates the error in a helper of your own.
   *
   * @param code Stable name of the reason, in upper case.
   * @param message What failed, what was found and what to do.
   * @param options `cause`: the error behind this one.
   */
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TestingError";
    this.code = code;
  }
}

const GLOBAL = "global";

/**
 * Thrown at the first use of a binding, or of a part of it, that the in-process engine does not
 * emulate. The message says how to run the test in workerd instead, or how to pass a double.
 *
 * @example
 * ```ts
 * import { NotEmulatedError } from "@framework/testing";
 * import { equal, match } from "node:assert/strict";
 *
 * const error = new NotEmulatedError("AI", "ai");
 * equal(error.code, "NOT_EMULATED");
 * match(error.message, /runtime: "workerd"/);
 * ```
 */
export class NotEmulatedError extends TestingError {
  /** Name of the binding in `env`. */
  readonly binding: string;
  /**
   * Key of the platform file under which the binding is declared; `"global"` for a global of the
   * platform.
   */
  readonly kind: string;

  /**
   * Creates the error in a double of your own.
   *
   * @param binding Name of the binding.
   * @param kind Key of the platform file under which the binding is declared, or `"global"`.
   * @param part Part of the binding that is not emulated. Default: all of it.
   */
  constructor(binding: string, kind: string, part?: string) {
    super(
      "NOT_EMULATED",
      kind === GLOBAL
        ? `${binding} is a global of the platform, and @framework/testing does not emulate it in process. ` +
          `Run the test in workerd: createTestContext({ runtime: "workerd" }).`
        : part === undefined
        ? `env.${binding} is declared under "${kind}" in the platform file, and @framework/testing ` +
          `does not emulate it in process. Run the test in workerd, createTestContext({ runtime: ` +
          `"workerd" }), or pass a double: createTestContext({ env: { ${binding}: … } }).`
        : `env.${binding} was used for ${part}, which @framework/testing does not emulate in ` +
          `process. Run the test in workerd, createTestContext({ runtime: "workerd" }), or pass a ` +
          `double: createTestContext({ env: { ${binding}: … } }).`,
    );
    this.name = "NotEmulatedError";
    this.binding = binding;
    this.kind = kind;
  }
}
