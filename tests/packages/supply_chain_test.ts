import assert from "node:assert/strict";
import { join } from "node:path";
import { buildPackages } from "../../scripts/npm.ts";
import { listFiles, readJson, readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";

// What users install besides the packages themselves. A new name here is a decision.
const dependencies: Record<string, string[]> = {
  "@framework/auth": ["@simplewebauthn/server", "jose", "uqr"],
  "@framework/cli": ["@framework/auth", "hono", "kysely", "preact"],
  "@framework/testing": [
    ...["@framework/auth", "@framework/cli", "@standard-schema/spec", "@testing-library/dom"],
    ...["@types/chai", "@vitest/expect", "@vitest/pretty-format", "@vitest/spy", "@vitest/utils"],
    ...["chai", "convert-source-map", "hono", "kysely", "linkedom", "postal-mime", "tinyrainbow"],
  ],
};

// What lies in a package's own folder, where no other version replaces it and it replaces none.
const nested: Record<string, string[]> = {
  "@framework/testing": [
    ...["@vitest/expect", "@vitest/pretty-format", "@vitest/spy", "@vitest/utils"],
  ],
};

// Tracks: R161
Deno.test("the packages depend on what is listed and run nothing when they are installed", async () => {
  for (const { manifest } of (await buildPackages({ gate: false })).packages) {
    const unknown = Object.keys(manifest.dependencies ?? {})
      .filter((name) => !dependencies[manifest.name]!.includes(name));
    assert.deepEqual(unknown, [], manifest.name);
    assert.equal(manifest["scripts"], undefined);
    assert.equal(manifest["optionalDependencies"], undefined);
    assert.equal(manifest["bundledDependencies"], undefined);
    assert.deepEqual(manifest.bundleDependencies?.toSorted(), nested[manifest.name]);
    for (const range of Object.values(manifest.dependencies ?? {})) {
      assert.match(range, /^\^?\d+\.\d+\.\d+$/, "from the registry, by version");
    }
  }
});

// Tracks: R161
Deno.test("what lies in a package's own folder is what is listed, in the locked version, with its license", async () => {
  const { npm } = await readJson(join(repositoryRoot, "deno.lock")) as unknown as {
    npm: Record<string, unknown>;
  };
  for (const { folder, manifest } of (await buildPackages({ gate: false })).packages) {
    const place = join(repositoryRoot, "npm", folder, "node_modules");
    const found = (await listFiles(place).catch(() => []))
      .filter((file) => file.endsWith("/package.json"))
      .map((file) => file.replace("/package.json", ""));
    assert.deepEqual(found, nested[manifest.name] ?? []);
    for (const name of found) {
      const { version } = await readJson(join(place, name, "package.json"));
      assert.equal(manifest.dependencies![name], version);
      assert.ok(`${name}@${version}` in npm, `${name} ${version}`);
      assert.match(await Deno.readTextFile(join(place, name, "LICENSE")), /MIT License/);
    }
  }
});

// What npm knows of a dependency it does not know of a copy.
// Tracks: R161
Deno.test("the bundles contain code of no other package: each is a dependency, and imported", async () => {
  for (const { folder, manifest } of (await buildPackages({ gate: false })).packages) {
    const place = join(repositoryRoot, "npm", folder);
    const files = await listFiles(place, (name) => !name.endsWith("node_modules"));
    const maps = files.filter((file) => file.endsWith(".js.map"));
    assert.equal(maps.length > 0, manifest.name === "@framework/auth");
    for (const map of maps) {
      const sources = (await readJson(join(place, map))).sources as string[];
      assert.deepEqual(sources.filter((source) => source.includes("node_modules")), [], map);
    }
    if (manifest.name !== "@framework/auth") continue;
    const scripts = files.filter((file) => file.endsWith(".js"));
    const text = await Promise.all(scripts.map((file) => Deno.readTextFile(join(place, file))));
    for (const name of dependencies[manifest.name]!) {
      assert.match(text.join("\n"), new RegExp(`(from |import\\()"${name}["/]`));
    }
  }
});

// Tracks: R161
Deno.test("no library that authentication runs on has dependencies with install scripts", async () => {
  const lock = await readJson(join(repositoryRoot, "deno.lock")) as {
    npm: Record<string, { integrity?: string; scripts?: boolean; dependencies?: string[] }>;
  };
  const names = Object.keys(lock.npm);
  const pending = dependencies["@framework/auth"]!.map((name) =>
    names.find((key) => key.startsWith(`${name}@`))!
  );
  const seen = new Set<string>();
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    const found = lock.npm[key]!;
    assert.equal(found.scripts, undefined, key);
    assert.match(found.integrity ?? "", /^sha512-/, key);
    for (const name of found.dependencies ?? []) {
      pending.push(names.find((other) => other === name || other.startsWith(`${name}@`))!);
    }
  }
  assert.ok(seen.size < 40, `${seen.size} packages`);
});

Deno.test("all packages have the same version, which the changelog knows or has before it", async () => {
  const { members } = await readWorkspace();
  const versions = new Set(members.map(({ version }) => version));
  assert.equal(versions.size, 1, [...versions].join(", "));
  assert.match(
    await Deno.readTextFile(join(repositoryRoot, "CHANGELOG.md")),
    new RegExp(`^## (Unreleased|${[...versions][0]!.replaceAll(".", "\\.")})`, "m"),
  );
});
