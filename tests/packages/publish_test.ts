// Publishing to a registry that people run themselves; `deno task rehearse` plays the whole release.
import assert from "node:assert/strict";
import { join } from "node:path";
import { create } from "tar";
import { buildPackages, type PackedPackage } from "../../scripts/npm.ts";
import { publishPackages } from "../../scripts/publish.ts";
import { capture } from "../../scripts/run_command.ts";
import { billOfMaterials } from "../../scripts/sbom.ts";
import { readPackument, servedProblems } from "../../scripts/served_packages.ts";
import { type LocalRegistry, startVerdaccio } from "../../scripts/verdaccio.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";

const noNode = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
const options = { ignore: !nodeIsAvailable, sanitizeOps: false, sanitizeResources: false };

let folder: string;
let registry: LocalRegistry;
Deno.test.beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "framework-publish-" });
  if (nodeIsAvailable) registry = await startVerdaccio(folder);
});
Deno.test.afterAll(async () => {
  await (registry as LocalRegistry | undefined)?.close();
  await Deno.remove(folder, { recursive: true });
});

/** A package of one file. */
async function smallPackage(version: string, text = "export {};\n"): Promise<PackedPackage> {
  const manifest = { name: "@framework/small", version, exports: { ".": "./mod.js" } };
  const place = await Deno.makeTempDir({ dir: folder });
  await Deno.writeTextFile(join(place, "package.json"), JSON.stringify(manifest));
  await Deno.writeTextFile(join(place, "mod.js"), text);
  const tarball = join(place, "small.tgz");
  await create({ file: tarball, cwd: place, prefix: "package", gzip: true, portable: true }, [
    "mod.js",
    "package.json",
  ]);
  return { folder: "small", manifest, tarball };
}

// Tracks: R161
Deno.test(
  `a registry serves what was built, with the fields, digests, notices and maps that it has${noNode}`,
  options,
  async () => {
    const { env, url } = registry;
    const build = await buildPackages({ gate: false });
    // Those that others need, one in bundles and one with a command.
    const packages = inMatrix ? build.packages : build.packages.slice(0, 2);
    const names = build.packages.map(({ manifest }) => manifest.name);
    for (const [index, { manifest }] of build.packages.entries()) {
      const needed = Object.keys(manifest.dependencies ?? {}).filter((name) =>
        names.includes(name)
      );
      const before = names.slice(0, index);
      assert.deepEqual(needed.filter((name) => !before.includes(name)), [], "after what it needs");
    }
    const said = await publishPackages({ packages }, { env });
    assert.deepEqual(
      said,
      packages.map(({ manifest: { name, version } }) => `${name} ${version}: published as latest`),
    );
    for (const packed of packages) {
      const bill = await billOfMaterials(packed, build);
      assert.deepEqual(await servedProblems(packed, { registry: url, bill }), []);
      const other = { ...packed, manifest: { ...packed.manifest, license: "GPL-3.0-only" } };
      const problems = await servedProblems(other, {
        registry: url,
        bill,
        repository: "https://a",
      });
      assert.match(problems.join("\n"), /another field "license"\n.*does not name https:\/\/a$/);
    }
  },
);

// Tracks: R161
Deno.test(
  `publishPackages() publishes prereleases as next, finishes what stopped half-way, and takes a version with other content for a mistake; a registry takes none twice${noNode}`,
  options,
  async () => {
    const { env, url } = registry;
    const first = await smallPackage("1.0.0");
    const tags = async () => (await readPackument(url, "@framework/small"))["dist-tags"];
    await publishPackages({ packages: [first] }, { env });
    assert.deepEqual(await tags(), { latest: "1.0.0" });
    const next = await smallPackage("1.1.0-0");
    assert.deepEqual(await publishPackages({ packages: [first, next] }, { env }), [
      "@framework/small 1.0.0: is published already",
      "@framework/small 1.1.0-0: published as next",
    ]);
    assert.deepEqual(await tags(), { latest: "1.0.0", next: "1.1.0-0" });
    // The registry itself takes no version twice.
    const { code, stderr } = await capture("npm", ["publish", first.tarball], { env });
    assert.equal(code, 1);
    assert.match(stderr, /cannot publish over/i);

    const changed = await smallPackage("1.0.0", "export const changed = true;\n");
    const untouched = await smallPackage("1.2.0");
    await assert.rejects(
      publishPackages({ packages: [untouched, changed] }, { env }),
      /has @framework\/small 1\.0\.0 with other content, .* `deno task bump`/,
    );
    // What a lower version would take from the users of the newest.
    const lower = await smallPackage("0.9.0");
    await assert.rejects(publishPackages({ packages: [lower] }, { env }), /higher than|--tag/);
    assert.deepEqual(await tags(), { latest: "1.0.0", next: "1.1.0-0" });
  },
);

Deno.test(
  `publishPackages() signs nothing where npm knows no build service, and publishes nothing then${noNode}`,
  options,
  async () => {
    const { env, url } = registry;
    const unsigned = await smallPackage("2.0.0");
    const noService = { ...env, GITHUB_ACTIONS: "", GITLAB_CI: "", CIRCLECI: "" };
    await assert.rejects(
      publishPackages({ packages: [unsigned] }, { env: noService, provenance: true }),
      /provenance/,
    );
    assert.equal((await readPackument(url, "@framework/small")).versions["2.0.0"], undefined);
  },
);
