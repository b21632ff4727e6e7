import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadConfig } from "../config/load.ts";
import { planContainer } from "./container.ts";

Deno.test.each([
  ["package-lock.json", "node:24-slim", "npm ci", "npx framework build --target node"],
  ["pnpm-lock.yaml", "node:24-slim", /npx -y pnpm.* install --frozen-lockfile/, "--target node"],
  ["deno.lock", "denoland/deno:2.9.6", "deno install --frozen", "build --target deno"],
])("a project with %s is built in %s", async (lock, image, install, build) => {
  const root = await mkdtemp(join(tmpdir(), "container-"));
  try {
    await writeFile(join(root, lock as string), "");
    const config = { ...await loadConfig(root), outDir: join(root, "out") };
    const [file, ignored] = planContainer(config);
    assert.equal(basename(file!.path), "Dockerfile");
    assert.equal(file!.text.split("\n").filter((line) => line.includes(`FROM ${image}`)).length, 2);
    for (const part of [install, build]) {
      if (typeof part === "string") assert.ok(file!.text.includes(part), part);
      else assert.match(file!.text, part as RegExp);
    }
    assert.match(file!.text, /^COPY --from=build \/app\/out \.$/m);
    assert.match(file!.text, /^USER (node|deno)$/m);
    assert.match(ignored!.text, /^\.dev\.vars\*$/m);

    await writeFile(join(root, ".dockerignore"), "own");
    assert.equal(planContainer(config).length, 1, "the project's own list stays");
  } finally {
    await rm(root, { recursive: true });
  }
});
