import assert from "node:assert/strict";
import { createBackground } from "./background.ts";

Deno.test("createBackground() waits for work, and for the work that this begins", async () => {
  const background = createBackground();
  const done: string[] = [];
  background.add((async () => {
    await Promise.resolve();
    done.push("outer");
    background.add(Promise.resolve().then(() => done.push("inner")));
  })());
  await background.settle();
  assert.deepEqual(done, ["outer", "inner"]);
});

Deno.test("createBackground() throws what failed, after everything is through", async () => {
  const background = createBackground();
  let through = false;
  background.add(Promise.reject(new Error("one")));
  background.add(
    Promise.resolve().then(() => {
      through = true;
    }),
  );
  await assert.rejects(background.settle(), { message: "one" });
  assert.equal(through, true);
  await background.settle();
});

Deno.test("createBackground() throws several failures together", async () => {
  const background = createBackground();
  background.add(Promise.reject(new Error("one")));
  background.add(Promise.reject(new Error("two")));
  await assert.rejects(background.settle(), AggregateError);
});
