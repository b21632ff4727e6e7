import assert from "node:assert/strict";
import { createSafeLogger } from "./logger.ts";

Deno.test("createSafeLogger() passes lines on with their level", () => {
  const lines: unknown[] = [];
  const logger = createSafeLogger({
    info: (event, fields) => lines.push(["info", event, fields]),
    warn: (event, fields) => lines.push(["warn", event, fields]),
    error: (event, fields) => lines.push(["error", event, fields]),
  });
  logger.info("a", { n: 1 });
  logger.warn("b", {});
  logger.error("c", {});
  assert.deepEqual(lines, [["info", "a", { n: 1 }], ["warn", "b", {}], ["error", "c", {}]]);
});

Deno.test("createSafeLogger() fails nothing when the logger throws or is not there", () => {
  function fail(): never {
    throw new Error("the disk is full");
  }
  const broken = createSafeLogger({ info: fail, warn: fail, error: fail });
  assert.doesNotThrow(() => broken.error("a", {}));
  assert.doesNotThrow(() => createSafeLogger(undefined).error("a", {}));
});
