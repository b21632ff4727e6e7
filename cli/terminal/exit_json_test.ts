import assert from "node:assert/strict";
import { CliError, ExitCode, renderJsonError } from "./exit.ts";

Deno.test("renderJsonError() names the kind of failure, and the hint when there is one", () => {
  const wrong = new CliError("It is wrong.", { exitCode: ExitCode.config, hint: "Correct it." });
  assert.equal(
    renderJsonError(wrong),
    '{"error":{"code":"config","message":"It is wrong.","hint":"Correct it."}}',
  );
  assert.equal(renderJsonError(new TypeError("x")), '{"error":{"code":"failure","message":"x"}}');
  assert.equal(renderJsonError("text"), '{"error":{"code":"failure","message":"text"}}');
});
