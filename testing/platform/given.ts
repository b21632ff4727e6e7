const KEY: unique symbol = Symbol.for("framework.test.bindings");
// On the global object: vitest loads the environment outside of what it loads test files with.
const shared = globalThis as { [KEY]?: Record<string, unknown> };

/** Bindings and variables that the runner's configuration names; none without. */
export function givenBindings(): Record<string, unknown> {
  return shared[KEY] ?? {};
}

/** Sets what the runner's configuration names. */
export function setBindings(bindings: Record<string, unknown>): void {
  shared[KEY] = bindings;
}
