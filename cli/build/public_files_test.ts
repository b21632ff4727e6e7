import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { copyPublicFiles, findHiddenFile } from "./public_files.ts";

// Tracks: A-20
Deno.test("copyPublicFiles() leaves behind what begins with a dot, and says so", async () => {
  const root = await mkdtemp(join(tmpdir(), "framework-public-"));
  try {
    const [from, to] = [join(root, "public"), join(root, "assets")];
    assert.deepEqual(await copyPublicFiles(from, to), []);
    const paths = [
      ".assetsignore",
      ".well-known/security.txt",
      "_headers",
      "docs/a.b.txt",
      ".env",
      ".dev.vars",
      ".DS_Store",
      "docs/.gitkeep",
      ".git/config",
      "docs/.htpasswd",
      ".well-known/.draft",
    ];
    for (const path of paths) {
      await mkdir(dirname(join(from, path)), { recursive: true });
      await writeFile(join(from, path), path);
    }
    const warnings = await copyPublicFiles(from, to);
    const copied = await readdir(to, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      copied.filter((entry) => entry.isFile()).map(({ name }) => name).sort(),
      [".assetsignore", "_headers", "a.b.txt", "security.txt"],
    );
    assert.deepEqual(warnings.map(({ message }) => message.split(" ")[0]), [
      "public/.dev.vars",
      "public/.env",
      "public/.git",
      "public/.well-known/.draft",
      "public/docs/.htpasswd",
    ]);
    const found = [
      "/.env",
      "/.env?a",
      "/%2eenv",
      "//.env",
      "/a/../.env",
      "/docs/.htpasswd",
      "/.git/config",
    ]
      .map((path) => findHiddenFile(from, path));
    assert.deepEqual(found, [
      ...Array.from({ length: 5 }, () => "public/.env"),
      "public/docs/.htpasswd",
      "public/.git/config",
    ]);
    for (
      const path of ["/", "/docs/a.b.txt", "/.well-known/security.txt", "/.none", "/%", "/%00.env"]
    ) {
      assert.equal(findHiddenFile(from, path), undefined, path);
    }
    assert.match(warnings[1]!.message, /is not in the build, since its name begins with a dot\.$/);
  } finally {
    await rm(root, { recursive: true });
  }
});
