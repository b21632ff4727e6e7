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

/** Thrown at the first use of a binding whose kind the in-process engine does not have. */
export class NotEmulatedError extends TestingError {
  /** Name of the binding. */
  readonly binding: string;
  /** Key of the platform file under which it is declared. */
  readonly kind: string;

  constructor(binding: string, kind: string) {
    super(
      "NOT_EMULATED",
      `env.${binding} is declared under "${kind}" in the platform file, and @framework/testing ` +
        "emulates d1_databases, kv_namespaces and vars only. Pass a double of it: " +
        `createTestContext({ env: { ${binding}: … } }).`,
    );
    this.name = "NotEmulatedError";
    this.binding = binding;
    this.kind = kind;
  }
}
