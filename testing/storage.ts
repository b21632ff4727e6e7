/**
 * Proves a storage of your own by the tests of the library's storages: one call in a test file of `deno test`, vitest
 * or `node --test`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "@framework/auth/storage";
 * import { testStorage } from "@framework/testing/storage";
 * import { ok } from "node:assert/strict";
 *
 * const names: string[] = [];
 * await testStorage("my storage", {
 *   open: () => ({ storage: createMemoryStorage() }),
 *   test: (name) => names.push(name), // left out in a test file
 * });
 * ok(names.includes("my storage: takeSecret() gives a secret to one of 100 at once"));
 * ```
 *
 * @module
 */

export {
  type OpenedStorage,
  type StorageTest,
  testRateLimitStorage,
  testRevocationStore,
  testStorage,
  type TestStorageOptions,
  type TestWholeStorageOptions,
} from "./storage/test_storage.ts";
export type { StorageSuite } from "./storage/suites.ts";
export type { StorageTools } from "./storage/trips.ts";
