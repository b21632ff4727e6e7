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
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { type Engine, startTranscriber } from "./transcript.ts";
import { sessions } from "./transcript_sessions.ts";

const deno: Engine = {
  name: "Deno, with the permissions of the compiled program",
  runtime: Deno.execPath(),
  options: ["run", ...permissions],
  program: fileURLToPath(new URL("../../cli/main.ts", import.meta.url)),
};

/** Output of the first engine, which the others must repeat. */
const said = new Map<string, (string | null)[]>();

/** Holds an engine to what the sessions expect, and to what the first engine said. A step for each session. */
async function compare(t: Deno.TestContext, engine: Engine): Promise<void> {
  await using transcriber = startTranscriber(engine, { all: engine === deno });
  for (const [name, session] of Object.entries(sessions)) {
    await t.step(name, async () => {
      const found = await transcriber.transcribe(session);
      for (const [index, { exit = 0, says = "" }] of session.steps.entries()) {
        const part = found[index];
        if (part === null) continue;
        assert.ok(part!.endsWith(`\n[exit ${exit}]`), `exit code ${exit} is expected:\n${part}`);
        assert.ok(part!.includes(says), `"${says}" is expected:\n${part}`);
      }
      const first = said.get(name) ?? found;
      said.set(name, first);
      const same = first.map((part, index) => found[index] === null ? null : part);
      assert.deepEqual(found, same, `${name} on ${engine.name}`);
    });
  }
}

Deno.test("every command has a right and a wrong line, and each exit code a process of its own", () => {
  const names = [
    ...Object.keys(commands).filter((name) => name !== migrate.name),
    ...Object.keys(migrate.commands).map((name) => `${migrate.name} ${name}`),
  ];
  const expected = names.flatMap((name) => [`${name} right`, `${name} wrong`]);
  const found = new Set<string>();
  const codes = new Set<number>();
  for (const { run, exit = 0, shared, once } of Object.values(sessions).flatMap((s) => s.steps)) {
    if (!shared && !(once && inMatrix)) codes.add(exit);
    // An interruption is how `dev` ends.
    const isRight = exit === 0 || exit === 130;
    if ((inMatrix && (shared || once)) || run.includes("--help")) continue;
    const line = `${run.join(" ")} `;
    const command = names.find((name) => line.startsWith(`${name} `));
    found.add(`${command} ${isRight ? "right" : "wrong"}`);
  }
  assert.deepEqual(expected.filter((line) => !found.has(line)), []);
  // No line of a session reaches the platform, whose refusal is 4.
  assert.deepEqual([...codes].sort((a, b) => a - b), [0, 1, 2, 3, 130]);
});

Deno.test("framework says what the sessions expect, on Deno with the permissions of the compiled program", (t) =>
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

// What a command says on the newest Node is seen by who installs it there: packages/lone_node_test.ts.
const nodes = inMatrix ? ["supported", "newest"] as const : ["supported"] as const;

for (const which of nodes) {
  Deno.test({
    name: `framework says the same as npm bin on the ${which} Node`,
    ignore: !nodeIsAvailable,
    fn: (t) =>
      withBin(async (bin, nodes) => {
        const runtime = nodes[which];
        await compare(t, { name: `the ${which} Node`, runtime, options: [], program: bin });
      }),
  });
}

Deno.test({
  name: "framework as npm bin on Node 20 is exit 2 for every command, and names both ways out",
  ignore: !nodeIsAvailable,
  fn: () =>
    withBin(async (bin, nodes) => {
      const commands = ["--help", "dev", "build", "deploy", "routes", "migrate up", "init shop"];
      await using transcriber = startTranscriber(
        { name: "Node 20", runtime: nodes.oldest, options: [], program: bin },
        { all: true },
      );
      // One of them in a process of its own, whose end is the same code of all.
      const steps = commands.map((line, index) => ({ run: line.split(" "), shared: index > 0 }));
      const found = await transcriber.transcribe({ files: null, steps });
      assert.equal(found.filter((part) => part?.endsWith("\n[exit 2]")).length, commands.length);
      const way = /^hint: Install Node 22\.13 or newer, or run `npx -y deno@<version> run -A/m;
      for (const part of found) assert.match(part!, way);
    }),
});
