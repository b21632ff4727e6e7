import assert from "node:assert/strict";
import { join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { capture } from "../../scripts/run_command.ts";
import { type Consumer, installConsumer } from "./consumer.ts";

let consumer: Consumer;
Deno.test.beforeAll(async () => {
  consumer = await installConsumer();
});
Deno.test.afterAll(async () => {
  await consumer.remove();
});

const node = await findProgram(["node"]);
const needsNode = node === null ? " (needs Node on the PATH)" : "";

function entriesOf(name?: string): string[] {
  return consumer.build.packages
    .filter(({ manifest }) => name === undefined || manifest.name === name)
    .flatMap(({ manifest }) =>
      Object.keys(manifest.exports)
        .filter((entry) => entry !== "./package.json")
        .map((entry) => manifest.name + entry.slice(1))
    );
}

async function typeCheck(
  entries: string[],
  compilerOptions: Record<string, unknown>,
): Promise<void> {
  const names = entries.map((entry, index) => [`entry${index}`, entry] as const);
  const source = names.map(([name, entry]) => `import * as ${name} from "${entry}";`).join("\n") +
    `\nexport const entries: unknown[] = [${names.map(([name]) => name).join(", ")}];\n`;
  await Deno.writeTextFile(join(consumer.folder, "consumer.ts"), source);
  await Deno.writeTextFile(
    join(consumer.folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2024",
        lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        ...compilerOptions,
      },
      files: ["consumer.ts"],
    }),
  );
  await consumer.runPackage("typescript/lib/tsc.js", ["--project", "tsconfig.json"]);
}

Deno.test("every entry of the installed packages type-checks with moduleResolution bundler", async () => {
  await typeCheck(entriesOf(), { module: "esnext", moduleResolution: "bundler" });
});

Deno.test("every entry of the installed packages type-checks with moduleResolution nodenext", async () => {
  await typeCheck(entriesOf(), { module: "nodenext", moduleResolution: "nodenext" });
});

Deno.test("@framework/auth type-checks without the types of Node", async () => {
  await typeCheck(entriesOf("@framework/auth"), {
    module: "nodenext",
    moduleResolution: "nodenext",
    types: [],
  });
});

Deno.test("publint finds nothing to say about the packages, strictly", async () => {
  for (const { manifest } of consumer.build.packages) {
    const folder = join(consumer.folder, "node_modules", manifest.name);
    await consumer.runPackage("publint/src/cli.js", ["--strict", folder]);
  }
});

Deno.test({
  name: `@framework/auth imports on the machine's own Node, every entry${needsNode}`,
  ignore: node === null,
  fn: async () => {
    const script = entriesOf("@framework/auth")
      .map((entry) => `console.log("${entry}", Object.keys(await import("${entry}")).length > 0);`);
    await Deno.writeTextFile(join(consumer.folder, "auth.mjs"), script.join("\n"));
    const { code, stdout, stderr } = await capture(node!, ["auth.mjs"], { cwd: consumer.folder });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      stdout.trim().split("\n"),
      entriesOf("@framework/auth").map((entry) => `${entry} true`),
    );
  },
});

Deno.test({
  name: `the framework command of the installed package runs on Node 22.13, and on an older one ` +
    `exits 2 and names both ways out${needsNode}`,
  ignore: node === null,
  fn: async () => {
    const [major, minor] = (await capture(node!, ["--version"])).stdout.slice(1).split(".").map(
      Number,
    );
    const bin = join(consumer.folder, "node_modules", ".bin", "framework");
    const { code, stdout, stderr } = await capture(bin, ["--version"], { cwd: consumer.folder });
    if (major! > 22 || (major === 22 && minor! >= 13)) {
      assert.equal(code, 0, stderr);
      assert.equal(stdout.trim(), versionOf("@framework/cli"));
    } else {
      assert.equal(code, 2, stderr);
      assert.match(stderr, /Node 22\.13/);
      assert.match(stderr, /Deno/);
    }
  },
});

Deno.test("the framework command of the installed package runs on Deno", async () => {
  const { stdout } = await consumer.runPackage("@framework/cli/main.js", ["--version"]);
  assert.equal(stdout.trim(), versionOf("@framework/cli"));
});

function versionOf(name: string): string {
  return consumer.build.packages.find(({ manifest }) => manifest.name === name)!.manifest.version;
}
