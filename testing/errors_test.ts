import { createTestContext, runAs, TestingError } from "@framework/testing";
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const handler = () => new Response("hello");
const here = fileURLToPath(import.meta.url);

/** The first frame of the error that some work throws or rejects with. */
async function firstFrame(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof TestingError, String(error));
    const [header, frame] = error.stack!.split("\n    at ");
    assert.ok(header!.includes(error.message), header);
    return frame!;
  }
  throw new Error("Nothing was thrown");
}

Deno.test("the stack of a TestingError begins in the test, whatever the library has done before", async () => {
  const limit = Error.stackTraceLimit;
  await using ctx = await createTestContext({ handler });
  const ended = await createTestContext({ handler });
  await ended.cleanup();
  const works: Record<string, () => unknown> = {
    "createTestContext()": async () => await createTestContext({ handler, origin: "nowhere" }),
    "createTestContext(), deep inside": async () => await createTestContext({ cwd: "/no/such" }),
    "ctx.fetch()": async () => await ended.fetch("/"),
    "ctx.submit()": async () => await ctx.submit(new Response("<p>no form</p>")),
    "ctx.entrypoint(), which returns no promise": () => ended.entrypoint("Other"),
    "ctx.db, which is read": () => ctx.db,
    "a context of somebody who is signed in": async () => await ctx.withAuth({ userId: "ada" }),
    "a helper of the test's own": async () => await helper(ended),
  };
  for (const [what, work] of Object.entries(works)) {
    assert.ok((await firstFrame(work)).includes(here), what);
  }
  assert.equal(Error.stackTraceLimit, limit);
  assert.match(await firstFrame(works["a helper of the test's own"]!), /helper/);
  // The call inside, not the one around it.
  const inner = async () => await runAs({ id: "ada" }, async () => void await helper(ended));
  assert.match(await firstFrame(inner), /helper/);
});

async function helper(ctx: { fetch(path: string): Promise<Response> }): Promise<Response> {
  return await ctx.fetch("/");
}

Deno.test("an error that a test makes itself, and one of work that no test has called, keep their stacks", () => {
  const own = new TestingError("OWN", "A helper of a project failed.");
  assert.ok(own.stack!.includes(here));
  const { captureStackTrace } = Error;
  try {
    Error.captureStackTrace = undefined as never;
    assert.equal(new TestingError("OWN", "Without the engine's help.").code, "OWN");
  } finally {
    Error.captureStackTrace = captureStackTrace;
  }
});

Deno.test("deno test shows the line of the test that called the library", async () => {
  const folder = await mkdtemp(join(tmpdir(), "errors-"));
  try {
    const file = join(folder, "mistake_test.ts");
    await writeFile(
      file,
      `import { createTestContext } from "@framework/testing";

Deno.test("a mistake", async () => {
  await createTestContext({ handler: () => new Response(), origin: "nowhere" }); // the mistake
});
`,
    );
    const config = fileURLToPath(new URL("../deno.json", import.meta.url));
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--no-check", "--no-lock", "-A", "--config", config, file],
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.match(text, /TestingError: "nowhere" is not an origin/);
    assert.match(
      text,
      /origin: "nowhere" }\); \/\/ the mistake\n +\^\n +at .*mistake_test\.ts:4:9\)?\n/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
