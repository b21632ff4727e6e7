import assert from "node:assert/strict";
import { createTrace, describeThrown } from "./trace.ts";

Deno.test("createTrace() times work, and notes what it throws", async () => {
  const trace = createTrace();
  trace.add({ kind: "mail", title: "sign-in" });
  const value = await trace.time(
    () => Promise.resolve(7),
    (outcome) => ({ kind: "call", title: "value" in outcome ? `is ${outcome.value}` : "failed" }),
  );
  assert.equal(value, 7);
  const error = new Error("no", { cause: new Error("disk") });
  await assert.rejects(
    trace.time(() => Promise.reject(error), (outcome) => ({
      kind: "storage",
      title: "error" in outcome ? describeThrown(outcome.error) : "succeeded",
    })),
    error,
  );
  assert.deepEqual(trace.entries.map(({ title, isFailure }) => [title, isFailure]), [
    ["sign-in", undefined],
    ["is 7", undefined],
    ["Error: no\ncaused by Error: disk", true],
  ]);
  const [mail, call, storage] = trace.entries;
  assert.equal(mail!.milliseconds, undefined);
  assert.ok(call!.milliseconds! >= 0 && storage!.milliseconds! >= 0);
  assert.ok(0 <= mail!.at && mail!.at <= call!.at && call!.at <= storage!.at);
});

Deno.test("createTrace() keeps the newest entries of a long test", () => {
  const trace = createTrace();
  for (let index = 0; index < 2500; index++) trace.add({ kind: "log", title: String(index) });
  assert.equal(trace.entries.length, 2000);
  assert.equal(trace.entries[0]!.title, "500");
  assert.equal(trace.entries.at(-1)!.title, "2499");
});
