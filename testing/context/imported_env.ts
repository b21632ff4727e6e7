import { TestingError } from "../errors.ts";
import { currentScope } from "./scope.ts";

/** Values of an application that is being loaded, or was loaded last. */
interface Loaded {
  /** Variables, and for each binding an object with its members, of which none can be used. */
  shapes: Record<string, unknown>;
}

const KEY: unique symbol = Symbol.for("framework.test.env");
const shared = globalThis as { [KEY]?: Loaded };

/** Sets what modules read while they are loaded. */
export function setImportedEnv(shapes: Record<string, unknown>): void {
  shared[KEY] = { shapes };
}

/**
 * Bindings and variables of the current test context. What a module reads while it is loaded, or keeps in a variable, is
 * the binding of whichever context uses it then; variables read there are those of the project's files.
 *
 * @example
 * ```ts
 * import { env } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * // Here nobody says whose bindings are meant.
 * throws(() => env["GREETING"], { code: "NO_CONTEXT" });
 * ```
 */
export const env: Record<string, unknown> = new Proxy({}, {
  get: (_target, name) => readBinding(name),
  has: (_target, name) => Reflect.has(valuesFor(name), name),
  ownKeys: () => Reflect.ownKeys(valuesFor("…")),
  getOwnPropertyDescriptor: (_target, name) =>
    Reflect.has(valuesFor(name), name)
      ? { value: readBinding(name), enumerable: true, configurable: true }
      : undefined,
});

function readBinding(name: string | symbol): unknown {
  const given = currentScope()?.imported?.env;
  if (given !== undefined) return Reflect.get(given, name);
  const value = Reflect.get(boundFor(name), name);
  return typeof name === "symbol" || isData(value) ? value : deferred(name);
}

function valuesFor(name: string | symbol): object {
  return currentScope()?.imported?.env ?? boundFor(name);
}

/** Bindings of the context, whatever `withEnv()` shows. */
function boundFor(name: string | symbol): Record<string, unknown> {
  return currentScope()?.env ?? shared[KEY]?.shapes ?? noContext(name);
}

const deferrals = new Map<string, object>();

/** Returns the stand-in for a binding; it is the same for all contexts, so that modules may keep it. */
function deferred(name: string): object {
  const known = deferrals.get(name);
  if (known !== undefined) return known;
  const real = () => Object(currentScope()?.env[name] ?? noContext(name));
  const shape = () => Object(boundFor(name)[name]);
  const made = new Proxy({}, {
    get(_target, property) {
      const value = Reflect.get(shape(), property);
      if (typeof value !== "function") return value;
      return currentScope() === undefined
        ? (...args: unknown[]) => Reflect.apply(Reflect.get(real(), property), real(), args)
        : value.bind(shape());
    },
    set: (_target, property, value) => Reflect.set(real(), property, value),
    has: (_target, property) => Reflect.has(shape(), property),
    getPrototypeOf: () => Reflect.getPrototypeOf(shape()),
    ownKeys: () => [],
  });
  deferrals.set(name, made);
  return made;
}

/** Returns true for variables: text, numbers, and what JSON has. */
function isData(value: unknown): boolean {
  if (typeof value === "function") return false;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return true;
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isData);
}

function noContext(name: string | symbol): never {
  throw new TestingError(
    "NO_CONTEXT",
    `env.${
      String(name)
    } of "cloudflare:workers" was used outside of any test context. Use it in what ` +
      "answers a request of ctx.fetch(), or in ctx.runAs().",
  );
}
