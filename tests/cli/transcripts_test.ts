import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { permissions } from "../../scripts/compile_permissions.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { type Engine, transcribe } from "./transcript.ts";
import { sessions } from "./transcript_sessions.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const deno: Engine = {
  name: "Deno, with the permissions of the compiled program",
  program: Deno.execPath(),
  args: ["run", ...permissions, main],
};
/** `deno test -A tests/cli/transcripts_test.ts -- --update [name]` writes the transcripts anew. */
const [update, only] = Deno.args[0] === "--update" ? [true, Deno.args[1]] : [false, undefined];

function fileOf(name: string): URL {
  return new URL(`transcripts/${name}.txt`, import.meta.url);
}

async function compare(name: string, engine: Engine): Promise<void> {
  const session = sessions[name]!;
  const found = await transcribe(session, engine);
  if (update) await Deno.writeTextFile(fileOf(name), found);
  assert.equal(found, await Deno.readTextFile(fileOf(name)), `${name} on ${engine.name}`);
}

for (const name of Object.keys(sessions).filter((name) => only === undefined || name === only)) {
  Deno.test(`framework says what transcripts/${name}.txt holds, on Deno with the permissions of the compiled program`, () =>
    compare(name, deno));
}

/** The packed program behind a link, as npm installs a bin. */
async function withBin(
  test: (bin: string, nodes: Awaited<ReturnType<typeof findNodes>>) => Promise<void>,
) {
  await buildPackages({ gate: false });
  const folder = await mkdtemp(join(tmpdir(), "framework-bin-"));
  try {
    const bin = join(folder, "framework");
    await symlink(join(repositoryRoot, "npm", "cli", "main.js"), bin);
    await test(bin, await findNodes());
  } finally {
    await rm(folder, { recursive: true });
  }
}

for (const which of ["supported", "newest"] as const) {
  Deno.test({
    name: `framework says the same as npm bin on the ${which} Node`,
    ignore: !nodeIsAvailable || update,
    fn: (t) =>
      withBin(async (bin, nodes) => {
        const engine: Engine = { name: `the ${which} Node`, program: nodes[which], args: [bin] };
        for (const name of Object.keys(sessions)) {
          await t.step(name, () => compare(name, engine));
        }
      }),
  });
}

Deno.test({
  name: "framework as npm bin on Node 20 is exit 2 for every command, and names both ways out",
  ignore: !nodeIsAvailable || update,
  fn: () =>
    withBin(async (bin, nodes) => {
      const engine: Engine = { name: "Node 20", program: nodes.oldest, args: [bin] };
      const commands = ["--help", "dev", "build", "deploy", "routes", "migrate up", "init shop"];
      const steps = commands.map((line) => ({ run: line.split(" ") }));
      const found = await transcribe({ files: null, steps }, engine);
      assert.equal(found.match(/^\[exit 2\]$/gm)?.length, commands.length);
      const ways = /^hint: Install Node 22\.13 or newer, or run `npx -y deno@<version> run -A/gm;
      assert.equal(found.match(ways)?.length, commands.length, found);
    }),
});
