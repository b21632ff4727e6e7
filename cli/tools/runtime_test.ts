import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findRuntime } from "./runtime.ts";

async function withPrograms(names: string[], test: (folder: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-path-"));
  try {
    for (const name of names) {
      await writeFile(join(folder, name), "#!/bin/sh\n");
      await chmod(join(folder, name), 0o755);
    }
    await mkdir(join(folder, "empty"));
    test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const compiled = { execPath: "/opt/framework", versions: { deno: "2.9.6", node: "24.0.0" } };

Deno.test("findRuntime() takes the runtime of this process", () => {
  assert.deepEqual(
    findRuntime({}, { execPath: "/bin/deno", versions: { deno: "2.9.6", node: "24.0.0" } }),
    { command: "/bin/deno", args: ["run", "--allow-all"], kind: "deno" },
  );
  assert.deepEqual(
    findRuntime({}, { execPath: "/bin/node", versions: { node: "22.13.0" } }),
    { command: "/bin/node", args: [], kind: "node" },
  );
});

Deno.test("findRuntime() takes Node from the PATH when this process is compiled", async () => {
  await withPrograms(["node", "deno"], (folder) => {
    const env = { PATH: `${folder}/empty:${folder}` };
    const found = findRuntime(env, { ...compiled, versionOf: () => "v22.13.0\n" });
    assert.deepEqual(found, { command: join(folder, "node"), args: [], kind: "node" });
  });
});

Deno.test("findRuntime() takes Deno when the PATH's Node is too old", async () => {
  await withPrograms(["node", "deno"], (folder) => {
    const found = findRuntime({ PATH: folder }, { ...compiled, versionOf: () => "v20.20.2\n" });
    assert.equal(found.command, join(folder, "deno"));
    assert.equal(found.kind, "deno");
  });
});

Deno.test("findRuntime() says what was found and what to install when there is none", async () => {
  await withPrograms(["node"], (folder) => {
    assert.throws(
      () => findRuntime({ PATH: folder }, { ...compiled, versionOf: () => "v20.20.2\n" }),
      (error) =>
        error instanceof CliError && error.exitCode === ExitCode.config &&
        /found Node v20\.20\.2\.$/.test(error.message) &&
        /Install Node 22\.13/.test(error.hint ?? ""),
    );
    assert.throws(
      () => findRuntime({ PATH: join(folder, "empty") }, compiled),
      (error) => error instanceof CliError && /found neither on the PATH/.test(error.message),
    );
  });
});

// Tracks: F45
Deno.test("findRuntime() runs nothing from a relative PATH entry, which a project could plant", async () => {
  await withPrograms(["node"], () => {
    assert.throws(() => findRuntime({ PATH: ".::bin" }, compiled), CliError);
  });
});
