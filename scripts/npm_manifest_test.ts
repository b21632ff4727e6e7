import assert from "node:assert/strict";
import { completeManifest, type PackageAdditions } from "./npm_manifest.ts";
import type { Member, Workspace } from "./workspace.ts";

const auth: Member = {
  folder: "auth",
  path: "/repository/auth",
  name: "@framework/auth",
  version: "1.2.3",
  license: "MIT",
  exports: { ".": "./mod.ts" },
};
const cli: Member = {
  ...auth,
  folder: "cli",
  path: "/repository/cli",
  name: "@framework/cli",
  version: "1.2.4",
  exports: { ".": "./mod.ts", "./main": "./main.ts", "./page": "./page.tsx" },
};
const workspace: Workspace = {
  root: "/repository",
  members: [auth, cli],
  imports: {
    hono: "npm:hono@^4.13.19",
    "hono/jsx": "npm:hono@^4.13.19/jsx",
    tar: "npm:tar@7.5.23",
  },
};
const additions: PackageAdditions = {
  description: "A command",
  keywords: ["framework"],
  node: ">=22.13",
  bin: { framework: "main.js" },
  peers: { esbuild: { range: ">=0.25", optional: true }, vite: { range: "^8" } },
};

Deno.test("completeManifest() lists siblings with their version and others with the shared range", () => {
  const specifiers = [
    "@framework/auth/storage",
    "@framework/auth",
    "hono/jsx",
    "node:fs",
    "esbuild",
  ];
  const manifest = completeManifest(cli, specifiers, { workspace, additions });
  assert.deepEqual(manifest.dependencies, { "@framework/auth": "1.2.3", "hono": "^4.13.19" });
});

Deno.test("completeManifest() lists peers, and marks those that may be missing", () => {
  const manifest = completeManifest(cli, [], { workspace, additions });
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(manifest.peerDependencies, { esbuild: ">=0.25", vite: "^8" });
  assert.deepEqual(manifest.peerDependenciesMeta, { esbuild: { optional: true } });
});

Deno.test("completeManifest() exports each entry with its declaration, and package.json", () => {
  assert.deepEqual(completeManifest(cli, [], { workspace, additions }).exports, {
    ".": { types: "./mod.d.ts", default: "./mod.js" },
    "./main": { types: "./main.d.ts", default: "./main.js" },
    "./page": { types: "./page.d.ts", default: "./page.js" },
    "./package.json": "./package.json",
  });
});

Deno.test("completeManifest() refuses a package that the repository has no version for", () => {
  assert.throws(
    () => completeManifest(cli, ["left-pad"], { workspace, additions }),
    /@framework\/cli imports "left-pad", which the root deno\.json does not list/,
  );
});

Deno.test("completeManifest() names the repository and the folder in it, when it is told", () => {
  assert.equal(completeManifest(cli, [], { workspace, additions })["repository"], undefined);
  const repository = "https://code.example/me/framework";
  const manifest = completeManifest(cli, [], { workspace, additions, repository });
  assert.deepEqual(manifest["repository"], {
    type: "git",
    url: "git+https://code.example/me/framework.git",
    directory: "cli",
  });
});
