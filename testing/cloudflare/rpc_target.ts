// By a name that every copy of this module shares: a test runner may load the package twice.
const BRAND: unique symbol = Symbol.for("framework.test.rpc");

/** Marks a class as one whose instances may be called from elsewhere. */
export function markRpcTarget(type: { prototype: object }): void {
  Object.defineProperty(type.prototype, BRAND, { value: true });
}

/** Whether an object is of a class whose instances may be called from elsewhere. */
export function isRpcTarget(value: object): boolean {
  return BRAND in value;
}
