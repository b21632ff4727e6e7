import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Build } from "./npm.ts";
import { startRegistry } from "./registry.ts";

async function withRegistry(test: (url: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-registry-" });
  const tarball = join(folder, "auth.tgz");
  await Deno.writeTextFile(tarball, "tarball");
  const manifest = { name: "@framework/auth", version: "1.2.3", exports: {}, dependencies: {} };
  const build: Build = {
    hash: "0123456789abcdef0123",
    built: false,
    packages: [{ folder: "auth", manifest, tarball }],
    unreached: [],
  };
  const registry = await startRegistry(build);
  try {
    await test(registry.url);
  } finally {
    await registry.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("startRegistry() serves a package's versions with digests and the address of its tarball", async () => {
  await withRegistry(async (url) => {
    const response = await fetch(`${url}@framework%2fauth`);
    const told = await response.json();
    assert.deepEqual(told["dist-tags"], { latest: "1.2.3" });
    const { dist, dependencies } = told.versions["1.2.3"];
    assert.deepEqual(dependencies, {});
    assert.equal(dist.tarball, `${url}@framework/auth/-/auth-1.2.3.tgz`);
    const bytes = new Uint8Array(await (await fetch(dist.tarball)).arrayBuffer());
    assert.equal(new TextDecoder().decode(bytes), "tarball");
    assert.equal(dist.shasum, createHash("sha1").update(bytes).digest("hex"));
    const sha512 = createHash("sha512").update(bytes).digest("base64");
    assert.equal(dist.integrity, `sha512-${sha512}`);
  });
});

Deno.test("startRegistry() listens on loopback, at an address of this source alone", async () => {
  await withRegistry((url) => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/0123456789abcdef\/$/);
    return Promise.resolve();
  });
});

Deno.test("startRegistry() knows no other package, file or address", async () => {
  await withRegistry(async (url) => {
    const unknown = [
      "hono",
      "@framework/other",
      "@framework/auth/-/auth-9.9.9.tgz",
      "../@framework/auth",
    ];
    for (const path of unknown) {
      const response = await fetch(`${url}${path}`);
      assert.equal(response.status, 404, path);
      await response.body?.cancel();
    }
  });
});
