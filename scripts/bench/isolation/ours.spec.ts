import { createTestContext } from "@framework/testing";
import process from "node:process";
import { expect, it } from "vitest";

const runtime = process.env["RUNTIME"] as "process" | "workerd";

for (let index = 0; index < Number(process.env["TESTS"]); index++) {
  it(`finds the one note of test ${index}`, async () => {
    await using ctx = await createTestContext({ worker: "./src/index.ts", runtime });
    await ctx.fetch("/", { method: "POST", body: `note ${index}` });
    expect(await (await ctx.fetch("/")).json()).toEqual([{ text: `note ${index}` }]);
  });
}
