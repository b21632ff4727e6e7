import assert from "node:assert/strict";
import { join } from "node:path";
import { countPackages, step } from "./demo_step.ts";

/** Collects what is printed, with numbers of seconds as `#`. */
function printer(): { write(text: string): void; said(): string } {
  let all = "";
  return {
    write: (text) => void (all += text),
    said: () => all.replace(/\d+(\.\d)? s/g, "# s"),
  };
}

// Tracks: AB-18
Deno.test("step() prints the parts that are done, and how far a part is that takes long", async () => {
  const { write, said } = printer();
  const told = Promise.withResolvers<void>();
  let count = 0;
  const measure = () => {
    if (++count === 2) told.resolve();
    return Promise.resolve(`${count} packages`);
  };
  const result = await step("Installing", async (say) => {
    say("@framework/auth (1 of 3)");
    await told.promise;
    // What was asked last is printed before this goes on.
    await new Promise((resolve) => setTimeout(resolve));
    return 42;
  }, { write, every: 1, measure });
  assert.equal(result, 42);
  assert.match(
    said(),
    /^Installing … @framework\/auth \(1 of 3\) … 1 packages, # s … 2 packages, # s … (\d+ packages, # s … )*# s\n$/,
  );
});

Deno.test("step() prints nothing after a failure, which it passes on", async () => {
  const { write, said } = printer();
  const failure = new Error("no network");
  const measure = () => Promise.reject(new Error("not asked"));
  await assert.rejects(
    step("Installing", () => Promise.reject(failure), { write, measure }),
    failure,
  );
  assert.equal(said(), "Installing … ");
});

Deno.test("countPackages() counts what is installed so far", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-count-" });
  try {
    assert.equal(await countPackages(folder), "0 packages");
    for (
      const name of [
        "hono@4.13.19",
        "@cloudflare+workerd-linux-64@1.2026",
        "node_modules",
        ".setup",
      ]
    ) {
      await Deno.mkdir(join(folder, "node_modules", ".deno", name), { recursive: true });
    }
    assert.equal(await countPackages(folder), "2 packages");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
