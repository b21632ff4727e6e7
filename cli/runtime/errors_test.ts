import { ForbiddenError, StorageUnavailableError } from "@framework/auth";
import assert from "node:assert/strict";
import { isExpected, logError } from "./errors.ts";
import { NotFoundError } from "./results.ts";

Deno.test("isExpected() is true for what answers by itself, and false for what someone has to look into", () => {
  for (const error of [new Response(), new NotFoundError(), new ForbiddenError()]) {
    assert.equal(isExpected(error), true);
  }
  // Only the library's own errors: those of other packages have a status too, and say what they please.
  const foreign = Object.assign(new Error("no such key"), { status: 404, code: "NOT_FOUND" });
  for (const error of [new StorageUnavailableError(), foreign, { status: 404 }, null, undefined]) {
    assert.equal(isExpected(error), false);
  }
});

Deno.test("isExpected() knows the errors of another copy of the library", async () => {
  const place = new URL("./errors.ts?other", import.meta.resolve("@framework/auth"));
  const { AuthError }: typeof import("@framework/auth") = await import(place.href);
  assert.equal(new ForbiddenError() instanceof AuthError, false, "it is the same copy");
  class PlanRequiredError extends AuthError {
    readonly code = "PLAN_REQUIRED";
    readonly status: number = 402;
  }
  class PrinterError extends PlanRequiredError {
    override readonly status = 502;
  }
  assert.equal(isExpected(new PlanRequiredError()), true);
  assert.equal(isExpected(new PrinterError()), false);
});

/** Returns what is logged of an error. */
function said(error: unknown): string {
  const { error: write } = console;
  let text = "";
  Object.assign(console, { error: (line: string) => void (text += line) });
  try {
    logError(error, { request: new Request("http://localhost/"), requestId: "r1" });
  } finally {
    Object.assign(console, { error: write });
  }
  return text;
}

// Tracks: AB-18
Deno.test("logError() tells a cause that only repeats the error once, and every other", () => {
  // As the platform's database throws.
  function query(): never {
    throw new Error("D1_ERROR: no such table: nope", {
      cause: new Error("no such table: nope"),
    });
  }
  function caught(work: () => unknown): unknown {
    try {
      return work();
    } catch (error) {
      return error;
    }
  }
  const once = said(caught(query));
  assert.equal(once.split("no such table: nope").length, 2, once);
  assert.match(once, /at query /);

  const wrapped = said(caught(() => {
    const cause = caught(query);
    throw new Error(`Not found: ${(cause as Error).message}`, { cause });
  }));
  assert.match(wrapped, /Not found: D1_ERROR[^]*Caused by: Error: D1_ERROR: [^]*at query /);
  assert.equal(wrapped.split("Caused by").length, 2, wrapped);

  const other = said(new Error("a", { cause: new Error("b", { cause: "c" }) }));
  assert.match(other, /Error: a\n[^]*Caused by: Error: b\n[^]*Caused by: Thrown: c/);
});

Deno.test("logError() tells an error that is its own cause a few times, and ends", () => {
  const error = new AggregateError([], "round and round");
  error.cause = error;
  error.errors.push(error);
  const times = said(error).match(/AggregateError: round and round/g)!.length;
  assert.ok(times > 1 && times < 100, String(times));
});

Deno.test("logError() tells what was thrown that is no error, and each error of an AggregateError", () => {
  assert.match(
    said({ status: 404, message: "gone" }),
    /Thrown: \{"status":404,"message":"gone"\}$/,
  );
  assert.match(said(null), /Thrown: null$/);
  assert.match(said(1n), /Thrown: 1$/);
  const cycle: Record<string, unknown> = Object.create(null);
  cycle["self"] = cycle;
  assert.match(said(cycle), /Thrown: \[object Object\]$/);
  const all = new AggregateError([new Error("first"), "second"], "all failed", {
    cause: "network",
  });
  assert.match(
    said(all),
    /AggregateError: all failed\n[^]*\nOne of its errors: Error: first\n[^]*\nOne of its errors: Thrown: second\nCaused by: Thrown: network$/,
  );
});
