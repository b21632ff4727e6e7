import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join, posix } from "node:path";
import { list } from "tar";
import {
  type Build,
  type BuildOptions,
  buildPackages,
  npmDate,
  type PackedPackage,
} from "../../scripts/npm.ts";
import { readJson, readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { filesBundled, filesOfNpmPack, filesReached } from "./contents.ts";

interface Entry {
  path: string;
  mode: number;
  date: number;
}

async function entriesOf(packed: PackedPackage): Promise<Entry[]> {
  const entries: Entry[] = [];
  await list({
    file: packed.tarball,
    onReadEntry: ({ path, mode, mtime }) =>
      entries.push({ path, mode: mode ?? 0, date: mtime?.getTime() ?? 0 }),
  });
  return entries;
}

async function digests(packages: PackedPackage[]): Promise<string[]> {
  return await Promise.all(
    packages.map(async ({ tarball }) =>
      createHash("sha256").update(await Deno.readFile(tarball)).digest("hex")
    ),
  );
}

/** Digests of what is in a package, besides its documents: where there is one package, they lead to no pages of others. */
async function digestsOfCode(
  { tarball }: PackedPackage,
): Promise<[path: string, digest: string][]> {
  const digests: [string, string][] = [];
  await list({
    file: tarball,
    onReadEntry: (entry) => {
      const digest = createHash("sha256");
      entry.on("data", (bytes) => void digest.update(bytes));
      entry.on("end", () => void digests.push([entry.path, digest.digest("hex")]));
    },
  });
  return digests.filter(([path]) => !path.endsWith(".md"));
}

/** Beginning of the place of a file of a package that another one brings along, with that package's name. */
const NESTED = /^package\/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//;

/** The run that these tests are part of judges types, and publishes to try. */
const current = { gate: false };

/** Builds beside the first build, which others may be using. */
async function buildAgain(
  options: BuildOptions,
  look: (build: Build, told: [name: string, packed: number, all: number][]) => Promise<void>,
): Promise<void> {
  const into = await Deno.makeTempDir({ dir: join(repositoryRoot, "npm"), prefix: "again-" });
  const told: Parameters<typeof look>[1] = [];
  try {
    const onPacked = (...each: (typeof told)[number]) => void told.push(each);
    await look(await buildPackages({ ...current, ...options, into, onPacked }), told);
  } finally {
    await Deno.remove(into, { recursive: true });
  }
}

Deno.test("buildPackages() writes the same code when it builds the same source again", async () => {
  const { packages: [packed] } = await buildPackages(current);
  const workspace = await readWorkspace();
  const alone = { ...workspace, members: workspace.members.slice(0, 1) };
  await buildAgain({ workspace: alone }, async ({ packages: [again], built }, told) => {
    assert.equal(built, true);
    assert.deepEqual(told, [["@framework/auth", 1, 1]]);
    const digests = await digestsOfCode(again!);
    assert.ok(digests.length > 100, "the modules of the package");
    assert.deepEqual(digests, await digestsOfCode(packed!));
  });
});

if (inMatrix) {
  Deno.test("buildPackages() writes the same bytes when it builds the same source again", async () => {
    const first = await buildPackages(current);
    const before = await digests(first.packages);
    await buildAgain({}, async ({ packages, built }, told) => {
      assert.equal(built, true);
      assert.deepEqual(told.map(([, ...counts]) => counts), [[1, 3], [2, 3], [3, 3]]);
      assert.deepEqual(
        told.map(([name]) => name).sort(),
        ["@framework/auth", "@framework/cli", "@framework/testing"],
      );
      assert.deepEqual(await digests(packages), before);
    });
  });
}

Deno.test("buildPackages() builds nothing when the source is the same", async () => {
  await buildPackages(current);
  const onPacked = () => assert.fail("nothing is packed");
  assert.equal((await buildPackages({ ...current, onPacked })).built, false);
});

Deno.test("buildPackages() packs code, declarations and documents, and neither tests nor the starter", async () => {
  for (const packed of (await buildPackages(current)).packages) {
    const entries = await entriesOf(packed);
    for (const { path: place, mode, date } of entries) {
      const path = place.replace(NESTED, "package/");
      assert.match(
        path,
        /^package\/([\w./-]+\.(js|js\.map|d\.ts)|package\.json|(README|SECURITY|docs\/\w+)\.md|LICENSE)$/,
      );
      assert.doesNotMatch(path, /[._]test\.(js|d\.ts)$|\/templates\/starter\/|\/\.\./);
      const program = Object.values(packed.manifest.bin ?? {}).includes(
        place.replace("package/", ""),
      );
      assert.equal(mode & 0o777, program ? 0o755 : 0o644, place);
      assert.equal(date, npmDate.getTime(), place);
    }
    const paths = entries.map(({ path }) => path);
    assert.deepEqual(paths, [...paths].sort(), "entries are sorted");
  }
});

Deno.test("buildPackages() exports what deno.json exports", async () => {
  const { members } = await readWorkspace();
  for (const { manifest } of (await buildPackages(current)).packages) {
    const member = members.find(({ name }) => name === manifest.name)!;
    const exported = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json");
    assert.deepEqual(exported, Object.keys(member.exports));
    assert.equal(manifest.version, member.version);
  }
});

Deno.test("buildPackages() packs the code that the entries reach and no other, once, and npm would pack the same", async () => {
  const { members } = await readWorkspace();
  const { packages } = await buildPackages(current);
  const packedByNpm = await filesOfNpmPack(packages);
  for (const packed of packages) {
    const entries = await entriesOf(packed);
    const all = entries.map(({ path }) => path.replace("package/", "")).sort();
    const nested = new Set(entries.flatMap(({ path }) => NESTED.exec(path)?.[1] ?? []));
    assert.deepEqual([...nested].sort(), [...packed.manifest.bundleDependencies ?? []].sort());
    const paths = all.filter((path) => !path.startsWith("node_modules/"));
    const member = members.find(({ name }) => name === packed.manifest.name)!;
    const reached = await filesReached(member);
    const isDeclaration = (path: string) => path.endsWith(".d.ts");
    const isDocument = (path: string) => path.endsWith(".md");
    const isScript = (path: string) => /\.js(\.map)?$/.test(path);
    const scripts = paths.filter(isScript);
    if (packed.manifest.name === "@framework/auth") {
      assert.deepEqual(scripts, await filesBundled(packed), "each entry, and what these import");
      const folder = join(repositoryRoot, "npm", packed.folder);
      const maps = await Promise.all(
        scripts.filter((path) => path.endsWith(".map")).map(async (path) =>
          (await readJson(join(folder, path))).sources as string[]
        ),
      );
      const modules = maps.flat().map((source) => source.replace(/^(\.\.\/)+/, ""));
      assert.deepEqual(modules.filter((module) => !reached.includes(module)), []);
      assert.ok(modules.length > 100, "the modules of the package");
    } else {
      assert.deepEqual(scripts, reached.filter(isScript), "from the graph of the modules");
    }
    assert.deepEqual(
      paths.filter((path) => !isScript(path) && !isDeclaration(path) && !isDocument(path)),
      reached.filter((path) => !isScript(path) && !isDeclaration(path) && !isDocument(path)),
    );
    // A module whose types no entry speaks of has no declarations.
    assert.deepEqual(
      paths.filter((path) => isDeclaration(path) && !reached.includes(path)),
      [],
    );
    assert.deepEqual(all, packedByNpm.get(packed.manifest.name), "by npm pack");
  }
});

// Tracks: AU-14
Deno.test("every link of a packed document leads to a packed file", async () => {
  for (const packed of (await buildPackages(current)).packages) {
    const folder = join(repositoryRoot, "npm", packed.folder);
    const paths = (await entriesOf(packed)).map(({ path }) => path.replace("package/", ""));
    for (const document of paths.filter((path) => path.endsWith(".md"))) {
      const text = await Deno.readTextFile(join(folder, document));
      const prose = text.replace(/```.*?```/gs, "");
      for (const [, target] of prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
        const file = posix.join(posix.dirname(document), target!);
        assert.ok(paths.includes(file), `${packed.folder}: ${document} links to ${target}`);
      }
    }
  }
});

Deno.test("buildPackages() finds no source file that no entry reaches", async () => {
  assert.deepEqual((await buildPackages(current)).unreached, []);
});
