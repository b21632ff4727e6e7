import process from "node:process";
import { TestingError } from "../errors.ts";
import type { TestApplication } from "./application.ts";
import type { Engine } from "./engine.ts";
import { openTestDatabase } from "./postgres_database.ts";
import { createProcessEngine, type ProcessEngineOptions } from "./process_engine.ts";
import { explainProjectError } from "./project.ts";

/**
 * Runs the application in this process, over a schema of its own in PostgreSQL and doubles of its other bindings.
 *
 * @throws {TestingError} `RUNTIME` for workerd, `PROJECT` without a database.
 */
export async function openPostgresEngine(
  app: TestApplication,
  runtime: string,
  options: ProcessEngineOptions,
): Promise<Engine> {
  if (runtime !== "process") {
    throw new TestingError(
      "RUNTIME",
      'A project with PostgreSQL runs on Node and Deno, not in workerd. Remove `runtime`, which is "process".',
    );
  }
  const database = await openTestDatabase(app.config, { ...app.secrets, ...process.env })
    .catch(explainProjectError);
  const overrides = { [app.config.database]: database.binding, ...options.overrides };
  // A copy of the context would write to the same schema.
  const { fork: _, ...engine } = createProcessEngine(app, {
    ...options,
    overrides,
    ...(overrides[app.config.database] === database.binding &&
      { stores: [{ name: app.config.database, mayBeStale: false }] }),
  });
  return {
    ...engine,
    async close() {
      await engine.close();
      await database.close();
    },
  };
}
