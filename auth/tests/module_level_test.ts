import assert from "node:assert/strict";
import { join } from "node:path";

const ROOT = new URL("..", import.meta.url).pathname;

async function listSources(folder: string, found: string[] = []): Promise<string[]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) {
      if (name !== "tests" && name !== "node_modules") await listSources(path, found);
    } else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) found.push(path);
  }
  return found;
}

/** Calls that run when a module loads and would belong to whichever request came first. */
const FORBIDDEN =
  /^(?:export )?(?:const|let|var)\b[^=\n]*=[^>\n]*\b(?:await\b|new Promise\b|Promise\.|fetch\(|setTimeout\(|setInterval\(|randomBytes\(|getRandomValues\(|randomUUID\(|Date\.now\(\)|new Date\(\))|^(?:await|for await|setTimeout|setInterval|fetch)\b/m;

// Tracks: K8
Deno.test("no module of the library makes a promise, a timer, randomness or a call when it loads", async () => {
  const sources = await listSources(ROOT);
  assert.ok(sources.length > 80, `${sources.length} files`);
  for (const path of sources) {
    assert.doesNotMatch(await Deno.readTextFile(path), FORBIDDEN, path);
  }
  for (
    const line of [
      "const ready = new Promise(() => {});",
      "export const salt: Uint8Array = randomBytes(5);",
      "const keys = await load();",
      "let started = Date.now();",
      "setTimeout(work, 5);",
    ]
  ) assert.match(line, FORBIDDEN);
});
