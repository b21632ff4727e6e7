import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { framework } from "../support/command_line.ts";
import { createFixtureApp } from "./fixture_app.ts";

const plain = {
  "app/page.tsx": "export default () => <p>Plain</p>;",
  "node_modules/theme/package.json":
    '{ "name": "theme", "type": "module", "exports": "./theme.js" }',
  "node_modules/theme/theme.js":
    "export const themeOf = ({ cookies }) => cookies.get('theme') ?? 'light';\n",
  "tsconfig.json": JSON.stringify({ compilerOptions: { jsxImportSource: "@framework/cli" } }),
};

/** Page that hands its context to the package. */
const themed = `import { themeOf } from "theme";
export const loader = ({ context }) => themeOf(context);
export default ({ data }) => <p>{data}</p>;`;

Deno.test({
  name: "a worker has the code for cookies when anything in it names them, and else is smaller",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using app = await createFixtureApp(plain);
    const build = async (): Promise<{ code: string; bytes: number }> => {
      const { code, stderr } = await framework(app.root, "build");
      assert.equal(code, 0, stderr);
      const text = await Deno.readTextFile(join(app.root, "dist/worker.js"));
      return { code: text, bytes: gzipSync(text, { level: 9 }).byteLength };
    };
    const without = await build();
    assert.doesNotMatch(without.code, /has a maxAge that is not|FRAMEWORK_WITHOUT_COOKIES/);
    assert.match(await ask(without.code, "light"), /<p>Plain<\/p>/);
    await app.write("app/page.tsx", themed);
    const built = await build();
    assert.match(built.code, /has a maxAge that is not/);
    assert.match(await ask(built.code, "dark"), /<p>dark<\/p>/);
    const saved = built.bytes - without.bytes;
    assert.ok(saved > 1_000, `${saved} bytes are saved`);
  },
});

/** Asks the built worker for its page, with a cookie. */
async function ask(script: string, theme: string): Promise<string> {
  const miniflare = new Miniflare({
    cf: false,
    handleStructuredLogs: () => {},
    modules: true,
    script,
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
  });
  try {
    const headers = { cookie: `theme=${theme}` };
    return await (await miniflare.dispatchFetch("http://localhost/", { headers })).text();
  } finally {
    await miniflare.dispose();
  }
}
