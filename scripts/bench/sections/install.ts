import { dirname, join } from "node:path";
import { freePort } from "../../../tests/support/free_port.ts";
import { startChild } from "../../../tests/support/child.ts";
import { installNpmPackages } from "../../../tests/support/npm_packages.ts";
import { buildPackages } from "../../npm.ts";
import { run } from "../../run_command.ts";
import { exists, listFiles, repositoryRoot } from "../../workspace.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { peerVersions } from "../peers.ts";
import type { Figure, Row, Section } from "../report.ts";

const LIBRARY = "the library";

/** Peers by what the table calls them. */
const PEERS: Readonly<Record<string, string>> = {
  "Better Auth": "better-auth",
  "Auth.js core": "@auth/core",
  "next-auth": "next-auth",
  "iron-session": "iron-session",
  hono: "hono",
};

/** Number of packages, files and bytes of a folder of packages. */
async function weigh(name: string, modules: readonly string[]): Promise<Row> {
  let [packages, count, bytes] = [0, 0, 0];
  for (const folder of modules) {
    const files = (await listFiles(folder)).filter((file) => !/(?:^|\/)\./.test(file));
    packages += files.filter((file) =>
      /^(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file)
    ).length;
    count += files.length;
    for (const file of files) {
      bytes += (await Deno.stat(join(folder, file))).size;
    }
  }
  const figures: Figure[] = [
    { value: packages, unit: "" },
    { value: count, unit: "" },
    { value: bytes / 1e6, unit: "MB" },
  ];
  return { name, figures };
}

/** The packed library in a folder of packages of its own, and those that npm installs beside it. */
async function weighLibrary(): Promise<Row> {
  const { packages } = await buildPackages({ gate: false });
  const { folder, manifest } = packages.find(({ folder }) => folder === "auth")!;
  const own = await Deno.makeTempDir({ prefix: "framework-bench-" });
  try {
    const place = join(own, manifest.name);
    await Deno.mkdir(dirname(place), { recursive: true });
    await run("cp", ["-R", join(repositoryRoot, "npm", folder), place]);
    return await weigh(LIBRARY, [own, await installNpmPackages(manifest.dependencies ?? {})]);
  } finally {
    await Deno.remove(own, { recursive: true });
  }
}

/** Seconds from `deno task demo` to the line that says how to stop it. */
async function timeDemo(root: string, dir: string): Promise<Figure> {
  const start = performance.now();
  const args = ["task", "demo", "--dir", dir, "--port", String(freePort())];
  const demo = startChild(Deno.execPath(), args, { cwd: root, group: true });
  try {
    await demo.waitFor(/Stop +Ctrl-C/, 600);
    return { value: (performance.now() - start) / 1000, unit: "s" };
  } finally {
    await demo.stop();
  }
}

/** Measures what an installation of the libraries is, and how long the demo takes from nothing. */
export async function measureInstall(_options: BenchOptions): Promise<Section> {
  const rows = [await weighLibrary()];
  const versions = await peerVersions();
  for (const [name, peer] of Object.entries(PEERS)) {
    progress(`  ${name}`);
    rows.push(await weigh(name, [await installNpmPackages({ [peer]: versions[peer]! })]));
  }
  const place = await Deno.makeTempDir({ prefix: "framework-bench-" });
  const demo: Row[] = [];
  try {
    const root = join(place, "source");
    await run("git", ["clone", "--quiet", repositoryRoot, root]);
    if (await exists(join(root, "node_modules"))) throw new Error("The copy is not from nothing");
    for (const name of ["task demo, from nothing", "task demo, again"]) {
      progress(`  ${name}`);
      demo.push({ name, figures: [await timeDemo(root, join(place, "demo"))] });
    }
  } finally {
    await Deno.remove(place, { recursive: true });
  }
  return {
    name: "install",
    title: "Installing",
    about:
      "The packages that npm installs for a library alone, with everything in them. `deno task demo` in a fresh clone of the " +
      "repository, whose packages Deno has downloaded before: it installs them, packs the three packages, makes the " +
      "starter, migrates and fills its database and serves it. The wall.",
    tables: [
      { title: "For a server", columns: ["packages", "files", "size"], rows, base: LIBRARY },
      { title: "The demo", columns: ["until it is served"], rows: demo },
    ],
    goals: [],
  };
}
