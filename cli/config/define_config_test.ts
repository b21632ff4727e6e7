import assert from "node:assert/strict";
import * as entry from "../mod.ts";
import { CONFIG_MODULE } from "./define_config.ts";

Deno.test("CONFIG_MODULE exports what @framework/cli exports", async () => {
  const embedded = await import(`data:text/javascript,${encodeURIComponent(CONFIG_MODULE)}`);
  assert.deepEqual(Object.keys(embedded), Object.keys(entry));
});

Deno.test("CONFIG_MODULE's defineConfig() returns its argument", async () => {
  const embedded = await import(`data:text/javascript,${encodeURIComponent(CONFIG_MODULE)}`);
  const config = { database: "DB" };
  assert.equal(embedded.defineConfig(config), config);
  assert.equal(entry.defineConfig(config), config);
});
