import process from "node:process";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { createTestHarness } from "wrangler";

const server = createTestHarness({ workers: [{ configPath: "./wrangler.jsonc" }] });

beforeEach(async () => {
  await server.listen();
  await server.getWorker().applyD1Migrations("DB");
});
afterEach(() => server.reset());
afterAll(() => server.close());

for (let index = 0; index < Number(process.env["TESTS"]); index++) {
  it(`finds the one note of test ${index}`, async () => {
    await server.fetch("/", { method: "POST", body: `note ${index}` });
    expect(await (await server.fetch("/")).json()).toEqual([{ text: `note ${index}` }]);
  });
}
