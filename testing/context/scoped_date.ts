// Also runs inside of workerd, in the bundle that a test asks for: nothing may be imported.

const KEY: unique symbol = Symbol.for("framework.test.date");
const shared = globalThis as { [KEY]?: true };

/**
 * Has `Date` tell the time of the context on whose behalf code runs: `new Date()`, `Date()` and `Date.now()`. Elsewhere
 * it tells the machine's, and fake timers that a test installs come first.
 *
 * @param scopedTime Returns the time of the current context; undefined outside of any.
 */
export function installScopedDate(scopedTime: () => number | undefined): void {
  if (shared[KEY]) return;
  shared[KEY] = true;
  const Real = globalThis.Date;
  const now = () => scopedTime() ?? Real.now();
  const scoped: DateConstructor = new Proxy(Real, {
    apply: () => new Real(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now()] : args,
        newTarget === scoped ? target : newTarget,
      ),
    get: (target, name, receiver) => name === "now" ? now : Reflect.get(target, name, receiver),
  });
  // What compares classes by `date.constructor` finds the global one.
  Object.defineProperty(Real.prototype, "constructor", { value: scoped });
  globalThis.Date = scoped;
}
