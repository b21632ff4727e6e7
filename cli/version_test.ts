import assert from "node:assert/strict";
import manifest from "./deno.json" with { type: "json" };
import { VERSION } from "./version.ts";

Deno.test("VERSION equals the version in deno.json", () => {
  assert.equal(VERSION, manifest.version);
});
