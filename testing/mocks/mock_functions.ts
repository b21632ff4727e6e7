import type { fn as MockFunctions } from "@vitest/spy";

/**
 * Maker of mock functions: `vi.fn()` of the vitest that runs the test, whose `vi.clearAllMocks()` and `restoreMocks`
 * then reach the mocks of this package too, and elsewhere that of `@vitest/spy`.
 */
export const fn: typeof MockFunctions = await findMockFunctions();

async function findMockFunctions(): Promise<typeof MockFunctions> {
  // Set by vitest in the processes and workers that run tests, and in no process that such a test starts.
  if (!("__vitest_worker__" in globalThis)) return (await import("@vitest/spy")).fn;
  // Not written into the import: Deno would install vitest for whoever imports this package.
  const name = "vitest";
  return (await import(/* @vite-ignore */ name)).vi.fn;
}
