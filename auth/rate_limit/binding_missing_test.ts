import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createDurableObjectRateLimitStorage } from "./durable_object.ts";
import { createSqlRateLimitStorage } from "./sql.ts";
import { createFixedWindowStorage, createSlidingWindowStorage } from "./kv.ts";
import { createPlatformRateLimitStorage } from "./binding.ts";

const storages: [(binding: never) => unknown, field: string, write: RegExp][] = [
  [createFixedWindowStorage, "namespace", /such as env\.KV$/],
  [createSlidingWindowStorage, "namespace", /such as env\.KV$/],
  [createSqlRateLimitStorage, "database", /a D1 binding, or what sqlite\(\)/],
  [createPlatformRateLimitStorage, "binding", /in ratelimits, such as env\.LIMIT$/],
  [createDurableObjectRateLimitStorage, "namespace", /durable_objects.*such as env\.LIMITS$/],
];

// Tracks: SP-W13
for (const [create, field, write] of storages) {
  Deno.test(`${create.name}() names what to write in the place of a binding that is not there`, () => {
    for (
      const [given, shown] of [[undefined, "nothing"], [null, "null"], ["KV", '"KV"'], [
        {},
        "an object",
      ]]
    ) {
      assert.throws(() => create(given as never), (error: unknown) => {
        assert.ok(error instanceof ConfigurationError);
        assert.equal(error.field, field);
        assert.ok(error.message.startsWith(`Wrong option "${field}": found ${shown}; write `));
        assert.match(error.message, write);
        return true;
      });
    }
  });
}
