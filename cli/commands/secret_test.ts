import { webhook } from "@framework/auth/webhooks";
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { framework, platformFile, withProject } from "../../tests/support/command_line.ts";

const files = { "wrangler.jsonc": platformFile };

Deno.test("secret places 32 random bytes for its owner alone, and shows the line for production", () =>
  withProject(files, async (root) => {
    const { code, stdout, stderr } = await framework(root, "secret");
    assert.deepEqual([code, stdout], [0, ""]);
    const text = readFileSync(join(root, ".dev.vars"), "utf8");
    assert.match(text, /^AUTH_SECRET=[0-9a-f]{64}\n$/);
    if (Deno.build.os !== "windows") {
      assert.equal(statSync(join(root, ".dev.vars")).mode & 0o777, 0o600);
    }
    assert.match(stderr, /npx wrangler secret put AUTH_SECRET\n$/);
    assert.equal(stderr.includes(text.trim().split("=")[1] ?? ""), false);
  }));

Deno.test("secret replaces what is there only with --force, and keeps the rest", () =>
  withProject({ ...files, ".dev.vars": "A=1\nAUTH_SECRET=old\n" }, async (root) => {
    const refused = await framework(root, "secret");
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^error: AUTH_SECRET is already set in \.dev\.vars\.\nhint: .*--force/,
    );
    assert.equal((await framework(root, "secret", "--force")).code, 0);
    const text = readFileSync(join(root, ".dev.vars"), "utf8");
    assert.match(text, /^A=1\nAUTH_SECRET=[0-9a-f]{64}\n$/);
    assert.equal((await framework(root, "secret", "OTHER")).code, 0);
    assert.match(readFileSync(join(root, ".dev.vars"), "utf8"), /^OTHER=[0-9a-f]{64}$/m);
  }));

Deno.test("secret --webhook writes what webhook() takes, and says how production gets one", () =>
  withProject(files, async (root) => {
    const { code, stderr, stdout } = await framework(root, "secret", "HOOK", "--webhook");
    assert.equal(code, 0, stderr);
    assert.match(stdout + stderr, /framework secret --webhook --print \| .*put HOOK/);
    const text = readFileSync(join(root, ".dev.vars"), "utf8");
    const secret = /^HOOK=(whsec_.*)$/m.exec(text)?.[1];
    assert.ok(webhook({ url: "https://hooks.example/", secret: secret! }));
  }));

Deno.test("secret --print writes a fresh secret to stdout and no file", () =>
  withProject({}, async (root) => {
    const [first, second] = [
      await framework(root, "secret", "--print"),
      await framework(root, "secret", "--print"),
    ];
    assert.match(first.stdout, /^[0-9a-f]{64}\n$/);
    assert.notEqual(first.stdout, second.stdout);
    assert.equal(first.stderr, "");
    assert.equal(existsSync(join(root, ".dev.vars")), false);
  }));

Deno.test("secret warns when git would commit the file", () =>
  withProject({ ...files, ".git/HEAD": "", ".gitignore": "node_modules\n" }, async (root) => {
    assert.match((await framework(root, "secret")).stderr, /^warning: git does not ignore/m);
  }));

Deno.test("secret is exit 2 outside of an application, and exit 1 for a name that is none", () =>
  withProject({}, async (root) => {
    assert.equal((await framework(root, "secret")).code, 2);
    for (const name of ["A=B", "1A", "A B", "A\nB", "../x"]) {
      assert.equal((await framework(root, "secret", name)).code, 1);
    }
  }));
