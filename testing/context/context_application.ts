import type { TestApplication } from "./application.ts";

const applications = new WeakMap<object, TestApplication>();

/** Remembers which application a context runs. */
export function rememberApplication(context: object, application: TestApplication): void {
  applications.set(context, application);
}

/** The application that a context runs; undefined in the worker pool, which has no files. */
export function applicationOf(context: object): TestApplication | undefined {
  return applications.get(context);
}
