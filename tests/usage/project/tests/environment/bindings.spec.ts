import { createMockEnv, createTestContext } from "@framework/testing";
import { expect, it } from "vitest";

it("has the bindings of the configuration", async () => {
  expect(createMockEnv().SITE).toBe("From the configuration");
  await using ctx = await createTestContext();
  expect(ctx.env).toMatchObject({ SITE: "From the configuration", LIMIT: 3 });
  await using other = await createTestContext({ env: { SITE: "From the test" } });
  expect(other.env).toMatchObject({ SITE: "From the test", LIMIT: 3 });
});
