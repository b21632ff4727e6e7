/**
 * What `@framework/testing` builds workers with.
 *
 * @module
 */
export { buildTestWorker, type TestWorker, type TestWorkerOptions } from "./project/test_worker.ts";
export type { ProjectConfig } from "./project/config.ts";
export type { Platform } from "./project/platform.ts";
export type { AppScan } from "./project/scan.ts";
