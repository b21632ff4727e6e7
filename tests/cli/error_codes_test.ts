import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { runFramework, startFramework } from "./framework.ts";

const DOCUMENT = "node_modules/@framework/auth/docs/error_codes.md";
const document = await Deno.readTextFile(join(repositoryRoot, "docs/error_codes.md"));

/** Where the documents of an installed package explain a code. */
function place(code: string): string {
  return `About ${code}: ${DOCUMENT}:${document.split("\n").indexOf(`### ${code}`) + 1}`;
}

const files = {
  [DOCUMENT]: document,
  "tsconfig.json": JSON.stringify({ compilerOptions: { noEmit: true } }),
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig({ session: { strategy: "jwtt" } });`,
  "app/page.tsx": "export default () => <p>public</p>;",
};

Deno.test("doctor and dev say where the installed documents explain a wrong configuration", async () => {
  await using app = await createFixtureApp(files);
  const { stdout } = await runFramework(app.root, "doctor");
  assert.ok(stdout.includes(place("CONFIGURATION")), stdout);
  const child = startFramework(app.root, "dev", "--port", "0");
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const [terminal, origin] = await child.waitFor(/[^]*(http:\S+) shows this error until/);
  assert.ok(terminal!.includes(place("CONFIGURATION")), terminal);
  const page = await fetch(origin!, { headers: { accept: "text/html" } });
  assert.ok((await page.text()).includes(place("CONFIGURATION")));
});

Deno.test("dev says in the terminal, once, and above the page where an error with a code is explained", async () => {
  await using app = await createFixtureApp({
    ...files,
    "app/auth/config.ts": files["app/auth/config.ts"].replace("jwtt", "database"),
    "app/auth/providers/passkey.ts": `import { passkey } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(passkey({ rpName: "Fixture" }));`,
    "app/broken/page.tsx": `import { StorageUnavailableError } from "@framework/auth";
export function loader() { throw new StorageUnavailableError("No connection"); }
export default () => <p>never</p>;`,
  });
  const child = startFramework(app.root, "dev", "--port", "0");
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const [, origin] = await child.waitFor(/(http:\/\/localhost:\d+)/);
  for (let turn = 0; turn < 2; turn++) {
    const page = await fetch(`${origin}/broken`, { headers: { accept: "text/html" } });
    assert.ok((await page.text()).includes(place("STORAGE_UNAVAILABLE")));
  }
  const pointer = place("STORAGE_UNAVAILABLE");
  const [terminal] = await child.waitFor(
    new RegExp(`[^]*${pointer.replaceAll(/[/.]/g, "\\$&")}[^]*failed\\. StorageUnavailableError`),
  );
  assert.equal(terminal!.split(pointer).length, 2);
});

Deno.test("a built worker knows nothing of the documents", async () => {
  await using app = await createFixtureApp({
    ...files,
    "app/auth/config.ts": files["app/auth/config.ts"].replace("jwtt", "database"),
  });
  const { code, stderr } = await runFramework(app.root, "build");
  assert.equal(code, 0, stderr);
  const folder = join(app.root, "dist");
  const built = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"));
  assert.ok(built.length > 0);
  for (const name of built) {
    assert.doesNotMatch(readFileSync(join(folder, name), "utf8"), /error_codes/);
  }
});
