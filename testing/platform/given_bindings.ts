const KEY: unique symbol = Symbol.for("framework.test.bindings");
// On the global object: vitest loads the environment outside of what it loads test files with.
const shared = globalThis as { [KEY]?: Record<string, unknown> };

/** Returns the bindings and variables of the runner's configuration; empty by default. */
export function givenBindings(): Record<string, unknown> {
  return shared[KEY] ?? {};
}

/** Sets the bindings and variables of the runner's configuration. */
export function setBindings(bindings: Record<string, unknown>): void {
  shared[KEY] = bindings;
}
