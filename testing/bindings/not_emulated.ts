import { NotEmulatedError } from "../errors.ts";

/** Stands for a binding that is not emulated: declared, and refused at the first use. */
export function createRefusedBinding(binding: string, kind: string): object {
  const refuse = (_target: object, property: string | symbol): never | undefined => {
    // Printing the env, awaiting it or asking what it is does not use the binding.
    if (typeof property === "symbol" || property === "then" || property === "toJSON") {
      return undefined;
    }
    throw new NotEmulatedError(binding, kind);
  };
  return new Proxy({}, { get: refuse });
}
