import assert from "node:assert/strict";
import { own } from "./invitation_bypasses.ts";

// Tracks: R182, R184
Deno.test("the table of ways past an invitation says of this library what happens today", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/teams.md", import.meta.url));
  const [, section] = page.split("\n## Beside Better Auth\n");
  const written = section!.split("\n## ")[0]!.split("\n").slice(1)
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) => line.split("|").slice(1, 3).map((cell) => cell.trim()))
    .filter(([, result]) => result !== "`teamPage()`");
  assert.deepEqual(written.toSorted(), [...await own()].toSorted());
});
