import process from "node:process";

const open = new Map<object, string>();
let watching = false;

/**
 * Remembers where a context was created until it is cleaned up. Contexts that are still open when
 * the process ends are reported on standard error.
 *
 * @param made An error created at the same place as the context.
 * @returns A function that stops watching the context.
 */
export function watchContext(made: Error): () => void {
  if (!watching) {
    watching = true;
    process.once("exit", reportForgotten);
    // `deno test` ends with this event.
    Reflect.get(globalThis, "addEventListener")?.("unload", reportForgotten);
  }
  const key = {};
  open.set(key, placeOf(made));
  return () => void open.delete(key);
}

/** Reports contexts that are still open on standard error, each once. */
export function reportForgotten(): void {
  const message = describeForgotten([...open.values()]);
  open.clear();
  if (message !== null) process.stderr.write(`${message}\n`);
}

/** Message about contexts that were not cleaned up; null when there are none. */
export function describeForgotten(places: readonly string[]): string | null {
  if (places.length === 0) return null;
  const counts = new Map<string, number>();
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  const lines = [...counts].map(([place, count]) => `  ${place}${count > 1 ? ` (${count}×)` : ""}`);
  const subject = places.length === 1
    ? "1 test context was"
    : `${places.length} test contexts were`;
  return [
    `${subject} not cleaned up. Write "await using ctx = await createTestContext()", or call ` +
    "ctx.cleanup() in afterEach:",
    ...lines,
  ].join("\n");
}

/** Returns the first stack frame outside of this package. */
export function placeOf({ stack = "" }: Error): string {
  const lines = stack.split("\n").filter((line) => /^\s+at /.test(line)).map((line) => line.trim());
  return lines.find((line) => !OWN.test(line)) ?? lines.at(-1) ?? "at an unknown place";
}

const OWN = /(?:@framework|framework)[\\/+]testing|testing[\\/]context[\\/]test_context\.|\bnode:/;
