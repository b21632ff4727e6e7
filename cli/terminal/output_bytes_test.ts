import assert from "node:assert/strict";
import { formatBytes } from "./output.ts";

Deno.test("formatBytes() chooses the unit by the size", () => {
  assert.deepEqual([0, 999, 1000, 20_340, 1_400_000].map(formatBytes), [
    "0 B",
    "999 B",
    "1.0 kB",
    "20.3 kB",
    "1.4 MB",
  ]);
});
