/** Does something as in a worker, for what asks the platform's name (`lib/runtime.ts`). */
export async function asWorker<T>(work: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator")!;
  const value = { userAgent: "Cloudflare-Workers" };
  Object.defineProperty(globalThis, "navigator", { value, configurable: true });
  try {
    return await work();
  } finally {
    Object.defineProperty(globalThis, "navigator", before);
  }
}
