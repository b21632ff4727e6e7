import { applyD1Migrations, env, reset, SELF } from "cloudflare:test";
import { afterEach, beforeEach, expect, it } from "vitest";

beforeEach(() => applyD1Migrations(env.DB, env.MIGRATIONS));
afterEach(() => reset());

for (let index = 0; index < env.TESTS; index++) {
  it(`finds the one note of test ${index}`, async () => {
    await SELF.fetch("http://localhost/", { method: "POST", body: `note ${index}` });
    const response = await SELF.fetch("http://localhost/");
    expect(await response.json()).toEqual([{ text: `note ${index}` }]);
  });
}
