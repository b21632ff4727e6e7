import { ForbiddenError, StorageUnavailableError } from "@framework/auth";
import assert from "node:assert/strict";
import { isExpected } from "./errors.ts";
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
