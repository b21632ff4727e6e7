import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { framework } from "../support/command_line.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

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

const MENDED = files["app/auth/config.ts"].replace("jwtt", "database");

Deno.test("doctor and dev say where the installed documents explain a wrong configuration, and an error with a code", async (t) => {
  await using app = await createFixtureApp({
    ...files,
    "app/auth/providers/passkey.ts": `import { passkey } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(passkey({ rpName: "Fixture" }));`,
    "app/broken/page.tsx": `import { StorageUnavailableError } from "@framework/auth";
export function loader() { throw new StorageUnavailableError("No connection"); }
export default () => <p>never</p>;`,
  });
  const { stdout } = await framework(app.root, "doctor");
  assert.ok(stdout.includes(place("CONFIGURATION")), stdout);
  const child = startFramework(app.root, "dev", "--port", "0");
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const [terminal, origin] = await child.waitFor(/[^]*(http:\S+) shows this error until/);
  assert.ok(terminal!.includes(place("CONFIGURATION")), terminal);
  const ask = async (path: string): Promise<string> =>
    await (await fetch(`${origin}${path}`, { headers: { accept: "text/html" } })).text();
  assert.ok((await ask("")).includes(place("CONFIGURATION")));

  await t.step("the error once in the terminal, and above each page", async () => {
    const pointer = place("STORAGE_UNAVAILABLE");
    await app.write("app/auth/config.ts", MENDED);
    await until(() => ask("/broken"), (text) => text.includes(pointer));
    assert.ok((await ask("/broken")).includes(pointer));
    const [terminal] = await child.waitFor(
      new RegExp(`[^]*${pointer.replaceAll(/[/.]/g, "\\$&")}[^]*failed\\. StorageUnavailableError`),
    );
    assert.equal(terminal!.split(pointer).length, 2);
  });
});
