import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import {
  configurePasswordHashing,
  defaultConcurrency,
  hashLimits,
  type PasswordHashingOptions,
} from "./queue.ts";

Deno.test("defaultConcurrency() is the machine's processors, within bounds, and one in workers", () => {
  // Tracks: OP-04
  const node20 = (processors: number) => ({
    process: { getBuiltinModule: () => ({ availableParallelism: () => processors }) },
  });
  assert.equal(defaultConcurrency({ navigator: { hardwareConcurrency: 3 } }), 3);
  assert.equal(defaultConcurrency({ navigator: { hardwareConcurrency: 64 } }), 4);
  assert.equal(defaultConcurrency({ navigator: { hardwareConcurrency: 0 } }), 1);
  assert.equal(defaultConcurrency(node20(1)), 1);
  assert.equal(defaultConcurrency(node20(8)), 4);
  assert.equal(defaultConcurrency({}), 2);
  assert.equal(
    defaultConcurrency({
      navigator: { userAgent: "Cloudflare-Workers", hardwareConcurrency: 8 },
    }),
    1,
  );
});

Deno.test("configurePasswordHashing() changes what is given and refuses the rest", () => {
  const read = () => [hashLimits.concurrency, hashLimits.maxWaiting, hashLimits.maxWait];
  const before = read();
  configurePasswordHashing({ concurrency: 7 });
  assert.deepEqual(read(), [7, before[1], before[2]]);
  const wrong: unknown[] = [
    null,
    { concurrency: 0 },
    { concurrency: 1.5 },
    { maxWait: 0 },
    { maxWaiting: -1 },
    { maxWait: "5" },
    { maxWait: 3, threads: 2 },
  ];
  for (const options of wrong) {
    assert.throws(
      () => configurePasswordHashing(options as PasswordHashingOptions),
      ConfigurationError,
    );
  }
  assert.deepEqual(read(), [7, before[1], before[2]]);
  configurePasswordHashing({ concurrency: before[0]!, maxWaiting: 9, maxWait: 2 });
  assert.deepEqual(read(), [before[0], 9, 2]);
  configurePasswordHashing({ maxWaiting: before[1]!, maxWait: before[2]! });
});
