// It keeps the global fetch, and no context is there yet.
import "../src/rates";
import { createTestContext } from "@framework/testing";
import { it } from "vitest";
import { CASES } from "../../plain_cases.ts";

for (const [name, run, options] of CASES) {
  it(name, async () => {
    await using ctx = await createTestContext(options);
    await run(ctx);
  });
}
