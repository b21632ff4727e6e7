import assert from "node:assert/strict";
import { returnPath } from "./redirect.ts";

Deno.test("returnPath() is path and query of what can be asked for again", () => {
  assert.equal(returnPath(new Request("https://app.example/a?b=c#d")), "/a?b=c");
  assert.equal(returnPath(new Request("https://app.example/", { method: "HEAD" })), "/");
  assert.equal(returnPath(new Request("https://app.example/a", { method: "POST" })), null);
});
