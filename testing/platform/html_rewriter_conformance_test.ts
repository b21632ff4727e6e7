// One list of cases, run against the double and inside workerd, so that the two cannot drift apart.
import assert from "node:assert/strict";
import { createHtmlRewriterClass } from "./html_rewriter.ts";
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { CASES } from "./fixtures/html.ts";
import { compareWithWorkerd } from "./fixtures/in_workerd.ts";

Deno.test({
  name: "createHtmlRewriterClass() rewrites as workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    Object.assign(globalThis, { HTMLRewriter: createHtmlRewriterClass() });
    try {
      await compareWithWorkerd(t, {
        file: "html.ts",
        cases: CASES,
        double: (name) => encodeOutcome(CASES[name]!),
        workerd: {},
      });
    } finally {
      Reflect.deleteProperty(globalThis, "HTMLRewriter");
    }
  },
});

Deno.test("createHtmlRewriterClass() says which package is missing", () => {
  const folder = Deno.cwd();
  Deno.chdir(Deno.makeTempDirSync());
  try {
    const HTMLRewriter = createHtmlRewriterClass();
    assert.throws(() => new HTMLRewriter(), {
      code: "HTML_REWRITER",
      message: /npm install --save-dev html-rewriter-wasm/,
    });
  } finally {
    const made = Deno.cwd();
    Deno.chdir(folder);
    Deno.removeSync(made);
  }
});
