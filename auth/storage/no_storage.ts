import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Storage } from "./storage.ts";

/**
 * The storage of an application that has no database, as one with the session strategy 'jwt' may do. Whatever needs
 * one says so when it is called.
 */
export function createNoStorage(): Storage {
  return new Proxy({} as Storage, {
    get(_, operation) {
      // Whoever awaits the storage itself asks for the first one; whoever counts attempts can do so elsewhere.
      if (operation === "then" || operation === "takeRateLimit" || typeof operation === "symbol") {
        return undefined;
      }
      return () =>
        Promise.reject(
          new ConfigurationError(
            `Cannot do "${operation}": the application has no database. Configure \`database\`.`,
            { field: "database" },
          ),
        );
    },
  });
}
