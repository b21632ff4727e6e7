/**
 * Configuration of a project, in `framework.config.ts`. Paths are relative to the file's folder.
 */
export interface FrameworkConfig {
  /** Folder of the routes. Default: `"app"`. */
  appDir?: string;
  /** Folder of the static files. Default: `"public"`. */
  publicDir?: string;
  /** Folder that `framework build` writes, inside the project. Default: `"dist"`. */
  outDir?: string;
  /**
   * Database that `context.db`, auth and migrations use: the name of its binding, or what it is. Default: `"DB"`, in
   * SQLite.
   */
  database?: string | DatabaseConfig;
  /** The platform file. Default: `"wrangler.json"` or `"wrangler.jsonc"`, whichever exists. */
  wrangler?: string;
  /**
   * Adds spans to the worker: requests, middleware, loaders, actions, pages, routes, queues, cron jobs, and what
   * authentication does in them. They go to the platform's tracing on workers, to the tracing channel "framework"
   * elsewhere. Default: false; `framework dev` tells them in `Server-Timing` in any case.
   */
  tracing?: boolean;
  /** Settings of `framework dev`. */
  dev?: {
    /** Port, 0 for a free one. Default: 8787. */
    port?: number;
    /** Address to listen on. Default: `"localhost"`. */
    host?: string;
    /** Host names that the server accepts besides its own and the loopback names. Default: none. */
    allowedHosts?: string[];
  };
  /** Settings of `framework build`. */
  build?: {
    /** Minifies the worker. Default: true. */
    minify?: boolean;
    /** Writes a source map next to the worker. Default: true. */
    sourcemap?: boolean;
  };
}

/** SQL that a database speaks. */
export type Dialect = "sqlite" | "postgres";

/** Database of a project. */
export interface DatabaseConfig {
  /** Name of the binding. Default: `"DB"`. */
  binding?: string;
  /**
   * SQL of the migrations and of `context.db`: `"sqlite"` is D1, and a file on a server; `"postgres"` is PostgreSQL at
   * the address `DATABASE_URL`, for `framework build --target node` and `deno`. Default: `"sqlite"`.
   */
  dialect?: Dialect;
}

/**
 * Adds completion and type checking to `framework.config.ts`. Returns its argument.
 *
 * @param config The configuration.
 * @returns The same object; it is checked when a command reads the file.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineConfig } from "@framework/cli";
 *
 * const config = defineConfig({ dev: { port: 3000 }, build: { minify: false } });
 * assert.equal(config.dev?.port, 3000);
 * ```
 */
export function defineConfig(config: FrameworkConfig): FrameworkConfig {
  return config;
}

/**
 * Module that replaces `@framework/cli` while a configuration file is bundled, so that the file
 * needs no installed copy, also with a compiled command.
 */
export const CONFIG_MODULE = "export function defineConfig(config) {\n  return config;\n}\n";
