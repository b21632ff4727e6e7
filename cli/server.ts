/**
 * Server of an application that was built with `framework build --target node` or `--target deno`. The build writes the
 * program that calls it.
 *
 * @example
 * ```ts
 * import { runServer } from "@framework/cli/server";
 * import { equal } from "node:assert/strict";
 *
 * equal(typeof runServer, "function"); // the generated program: await runServer({ url, settings, load })
 * ```
 *
 * @module
 */
export { runServer, type ServerParts } from "./server/program.ts";
export type { PoolOptions, ServerPool } from "./server/postgres_database.ts";
export type { Worker } from "./runtime/application.ts";
export type { JsonValue } from "./tools/jsonc.ts";
export type { QueueConsumer, ServerSettings } from "./platform/server_settings.ts";
