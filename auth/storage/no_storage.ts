import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Storage } from "./storage.ts";

/**
 * The storage of an application that has no database, as one with the session strategy 'jwt' may do. Whatever needs
 * one says so when it is called.
 */
export function createNoStorage(): Storage {
  return new Proxy({} as Storage, {
    get(_, operation) {
      // Whoever awaits the storage itself asks for this one.
      if (operation === "then") return undefined;
      return () =>
        Promise.reject(
          new ConfigurationError(
            `Cannot do "${
              String(operation)
            }": the application has no database. Configure \`database\`.`,
            { field: "database" },
          ),
        );
    },
  });
}
