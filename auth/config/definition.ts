/** A value, or a function that makes it from the environment (bindings, secrets) of the application. */
export type Definition<T, Env = never> = T | ((env: Env) => T);

/** The value of a definition in this environment. */
export function resolveDefinition<T>(definition: Definition<T>, env: unknown): T {
  if (typeof definition !== "function") return definition;
  return (definition as (env: unknown) => T)(env);
}
