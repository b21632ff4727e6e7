import assert from "node:assert/strict";
import { type Act, ACTS, type Acts, jobOf } from "./acts/act.ts";
import { handActs } from "./acts/by_hand.ts";
import { libraryActs } from "./acts/library.ts";

for (const [who, acts] of Object.entries({ "by hand": handActs, "the library": libraryActs })) {
  for (const act of ACTS) {
    Deno.test(`${act}, ${who}: refuses what is wrong, and does what is right again and again`, async () => {
      const job = await jobOf(who, await (acts as Acts)[act]());
      await job.prepare!(3);
      for (let turn = 0; turn < 5; turn++) await job();
    });
  }
}

Deno.test("jobOf() times nobody who refuses what is right or takes what is wrong", async () => {
  const answer = (status: number) => () => Promise.resolve(new Response(null, { status }));
  const act = (right: number, wrong: number): Act => ({
    make: () => Promise.resolve(answer(right)),
    wrong: { "a used token": answer(wrong) },
  });
  await jobOf("it", act(200, 400));
  await assert.rejects(jobOf("it", act(400, 400)), /"it" answered 400/);
  await assert.rejects(jobOf("it", act(200, 303)), /"it" takes a used token: 303/);
});
