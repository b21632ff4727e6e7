/** Why a test helper could not do what it was asked. */
export class TestingError extends Error {
  /** Stable name of the reason. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TestingError";
    this.code = code;
  }
}

/** Thrown at the first use of a binding, or of a part of it, that the in-process engine does not have. */
export class NotEmulatedError extends TestingError {
  /** Name of the binding. */
  readonly binding: string;
  /** Key of the platform file under which it is declared. */
  readonly kind: string;

  constructor(binding: string, kind: string, part?: string) {
    super(
      "NOT_EMULATED",
      part === undefined
        ? `env.${binding} is declared under "${kind}" in the platform file, and @framework/testing ` +
          `does not emulate it in process. Run the test in workerd, createTestContext({ runtime: ` +
          `"workerd" }), or pass a double: createTestContext({ env: { ${binding}: … } }).`
        : `env.${binding} was asked for ${part}, which @framework/testing does not emulate in ` +
          `process. Run the test in workerd, createTestContext({ runtime: "workerd" }), or pass a ` +
          `double: createTestContext({ env: { ${binding}: … } }).`,
    );
    this.name = "NotEmulatedError";
    this.binding = binding;
    this.kind = kind;
  }
}
