import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { capture } from "../../scripts/run_command.ts";
import { runInstalled } from "../../scripts/scaffold.ts";
import { listFiles } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { createStarter } from "../support/starter.ts";
import { newest, replaceTypescript } from "./other_typescript.ts";

/** Every template in every shape that its name can give it. */
const generated = [
  ["page", "users/[id]", "--loader"],
  ["page", "/blog/:slug/edit"],
  ["page", "/docs/:path*?", "--loader"],
  ["page", "about", "--loader"],
  ["page", "(legal)/2024/terms"],
  ["page", "shops/:shop-id/[...rest]", "--loader"],
  ["page", "(shop)/sale", "--loader"],
  ["layout", "(shop)/sale"],
  ["route", "/api/posts/:post-id/:rest*"],
  ["route", "api/ping"],
  ["layout", "users"],
  ["layout", "/", "--force"],
  ["middleware", "users"],
  ["middleware", "/"],
  ["component", "UserCard"],
  ["component", "forms/text-field"],
  ["action", "feedback"],
  ["action", "about"],
  ["action", "users/[id]/notes"],
  ["error", "users"],
  ["error", "/blog/:slug", "--force"],
  ["not-found", "users"],
  ["unauthorized", "/docs"],
  ["forbidden", "users/[id]"],
  ["loading"],
  ["queue", "mails"],
  ["queue", "audit-log"],
  ["cron", "nightly"],
  ["cron", "every-hour", "--schedule", "0 * * * *"],
  ["object", "ChatRoom"],
  ["object", "counter"],
  ["seed"],
  ["seed", "staging"],
  ["migration", "add posts"],
];

const layoutWithLoader = `import type { LayoutProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export function loader(): { cart: string[] } {
  return { cart: [] };
}

export default function ShopLayout({ children, data }: LayoutProps<"/(shop)">): JSX.Element {
  return <div title={data.cart.join()}>{children}</div>;
}
`;

Deno.test("what framework generate writes passes tsc, the linters, deno fmt and its own tests", async () => {
  const starter = await createStarter();
  try {
    const { root } = starter;
    const shop = join(root, "app", "(shop)");
    await Deno.mkdir(shop);
    await Deno.writeTextFile(join(shop, "layout.tsx"), layoutWithLoader);
    for (const argv of generated) {
      let said = "";
      const stream = { write: (text: string) => said += text };
      const io = { stdout: stream, stderr: stream };
      assert.equal(await runInstalled(root, ["generate", ...argv], io), 0, `${argv}\n${said}`);
    }
    const passes = (...args: string[]): Promise<string> => runInside(root, args);
    // The starter's own is asked by the matrix, and by the tests of the starter.
    if (!inMatrix) await replaceTypescript(root, newest);
    const typescript = join(root, "node_modules", "typescript", "bin", "tsc");
    await passes("run", "-A", typescript, "--noEmit");
    await passes("lint");
    await passes("fmt", "--check", "--line-width=100", "app", "tests", "seeds");
    const lint = await starter.framework("lint");
    assert.deepEqual([lint.code, lint.stdout], [0, ""], lint.stderr);
    const own = generated.length - 1;
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    // The starter's own tests too: what was written has not broken what was there.
    const guarded = "tests/guarded.test.ts";
    const together = ["--no-isolate", "--no-file-parallelism", "--exclude", guarded];
    const all = await passes("run", "-A", vitest, "run", ...together);
    assert.match(all, new RegExp(`\\b${own + 1} passed`));
    // What was generated before a middleware stood there is for everybody.
    assert.match(await Deno.readTextFile(join(root, guarded)), /\n {6}"\/about",\n/);
    const build = await starter.framework("build");
    assert.equal(build.code, 0, build.stderr);
    // The same tests with the other runner.
    if (!inMatrix) return;
    // In one isolate, as with vitest: Deno has one for each file, which loads everything anew.
    const found = await listFiles(root, (folder) => !/(^|\/)(node_modules|\.\w+)$/.test(folder));
    const imports = found.filter((file) => /[._]test\.tsx?$/.test(file))
      .filter((file) => ![guarded, "tests/app.test.ts"].includes(file))
      .map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
    await Deno.writeTextFile(join(root, "tests/together_test.ts"), imports.join(""));
    const written = await passes("test", "-A", "--no-check", "tests/together_test.ts");
    await Deno.remove(join(root, "tests/together_test.ts"));
    assert.match(written, new RegExp(`ok \\| ${own} passed \\| 0 failed`));
  } finally {
    await starter.remove();
  }
});

async function runInside(root: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await capture(Deno.execPath(), args, { cwd: root });
  assert.equal(code, 0, `deno ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout + stderr;
}
