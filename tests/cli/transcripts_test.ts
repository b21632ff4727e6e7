import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { group as migrate } from "../../cli/commands/migrate.ts";
import { commands } from "../../cli/commands/registry.ts";
import { permissions } from "../../scripts/compile_permissions.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { type Engine, joinParts, splitParts, startTranscriber } from "./transcript.ts";
import { sessions } from "./transcript_sessions.ts";

const deno: Engine = {
  name: "Deno, with the permissions of the compiled program",
  runtime: Deno.execPath(),
  options: ["run", ...permissions],
  program: fileURLToPath(new URL("../../cli/main.ts", import.meta.url)),
};
/** `deno test -A tests/cli/transcripts_test.ts -- --update [name]` writes the transcripts anew. */
const [update, only] = Deno.args[0] === "--update" ? [true, Deno.args[1]] : [false, undefined];

function fileOf(name: string): URL {
  return new URL(`transcripts/${name}.txt`, import.meta.url);
}

/** Compares what an engine says with the transcripts, a step for each. */
async function compare(t: Deno.TestContext, engine: Engine): Promise<void> {
  await using transcriber = startTranscriber(engine, { all: engine === deno });
  for (const [name, session] of Object.entries(sessions)) {
    if (only !== undefined && name !== only) continue;
    await t.step(name, async () => {
      const found = await transcriber.transcribe(session);
      if (update) await Deno.writeTextFile(fileOf(name), joinParts(found.map(String)));
      const kept = splitParts(await Deno.readTextFile(fileOf(name)));
      assert.equal(kept.length, found.length);
      const same = kept.map((part, index) => found[index] === null ? null : part);
      assert.deepEqual(found, same, `${name} on ${engine.name}`);
    });
  }
}

Deno.test("every command has a right and a wrong line that runs in a process of its own on each engine", async () => {
  const names = [
    ...Object.keys(commands).filter((name) => name !== migrate.name),
    ...Object.keys(migrate.commands).map((name) => `${migrate.name} ${name}`),
  ];
  const expected = names.flatMap((name) => [`${name} right`, `${name} wrong`]);
  const found = new Set<string>();
  for (const [session, { steps }] of Object.entries(sessions)) {
    const kept = splitParts(await Deno.readTextFile(fileOf(session)));
    for (const [index, { run, shared, once }] of steps.entries()) {
      if (shared || once || run.includes("--help")) continue;
      const line = `${run.join(" ")} `;
      const command = names.find((name) => line.startsWith(`${name} `));
      // An interruption is how `dev` ends.
      const isRight = /\[exit (?:0|130)\]$/.test(kept[index]!);
      found.add(`${command} ${isRight ? "right" : "wrong"}`);
    }
  }
  assert.deepEqual(expected.filter((line) => !found.has(line)), []);
});

Deno.test("framework says what the transcripts hold, on Deno with the permissions of the compiled program", (t) =>
  compare(t, deno));

let packed: Promise<unknown> | undefined;

/** The packed program behind a link, as npm installs a bin. */
async function withBin(
  test: (bin: string, nodes: Awaited<ReturnType<typeof findNodes>>) => Promise<void>,
) {
  await (packed ??= buildPackages({ gate: false }));
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
        const runtime = nodes[which];
        await compare(t, { name: `the ${which} Node`, runtime, options: [], program: bin });
      }),
  });
}

Deno.test({
  name: "framework as npm bin on Node 20 is exit 2 for every command, and names both ways out",
  ignore: !nodeIsAvailable || update,
  fn: () =>
    withBin(async (bin, nodes) => {
      const commands = ["--help", "dev", "build", "deploy", "routes", "migrate up", "init shop"];
      await using transcriber = startTranscriber(
        { name: "Node 20", runtime: nodes.oldest, options: [], program: bin },
        { all: true },
      );
      const steps = commands.map((line) => ({ run: line.split(" ") }));
      const found = await transcriber.transcribe({ files: null, steps });
      assert.equal(found.filter((part) => part?.endsWith("\n[exit 2]")).length, commands.length);
      const way = /^hint: Install Node 22\.13 or newer, or run `npx -y deno@<version> run -A/m;
      for (const part of found) assert.match(part!, way);
    }),
});
