import assert from "node:assert/strict";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
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

Deno.test("copyPublicFiles() copies what a link in the project leads to, and warns of every other one", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-links-")));
  try {
    const project = join(root, "project");
    const [from, to] = [join(project, "public"), join(project, "assets")];
    await mkdir(from, { recursive: true });
    await mkdir(join(project, "shared"));
    await writeFile(join(project, "shared", "logo.svg"), "logo");
    await writeFile(join(project, ".env"), "SECRET=1");
    await writeFile(join(root, "passwd"), "root");
    const links = {
      "logo.svg": "../shared/logo.svg",
      shared: "../shared",
      "env.txt": "../.env",
      "link.txt": "../../passwd",
      "gone.txt": "../none",
    };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(from, name));
    const warnings = await copyPublicFiles(from, to);
    assert.deepEqual(warnings.map(({ message }) => message), [
      "public/env.txt is not in the build: it is a link to a name that begins with a dot.",
      "public/gone.txt is not in the build: it is a link that leads nowhere.",
      `public/link.txt is a link out of the project: the build has a copy of ${
        join(root, "passwd")
      }.`,
    ]);
    const copied = await readdir(to, { recursive: true });
    assert.deepEqual(copied.sort(), ["link.txt", "logo.svg", "shared", join("shared", "logo.svg")]);
    assert.equal(await readFile(join(to, "logo.svg"), "utf8"), "logo");
  } finally {
    await rm(root, { recursive: true });
  }
});
