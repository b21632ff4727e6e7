// docs/api_keys.md: the rule by which secretlint finds a leaked key.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createKeyId, createKeySecret, writeApiKey } from "../../auth/api_key/key.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/api_keys.md", import.meta.url));

/** Part of `@secretlint/core` that the test uses. */
interface Secretlint {
  lintSource(input: {
    source: { filePath: string; content: string; contentType: "text" };
    options: { config: { rules: unknown[] }; noPhysicFilePath: boolean };
  }): Promise<{ messages: { range: [number, number]; message: string }[] }>;
}

/** Says in which parts of a text a key is found. */
type Scan = (content: string) => Promise<string[]>;

/** Secretlint with the rule of the document. */
async function createScan(): Promise<Scan> {
  const modules = await linkNpmPackages({
    "@secretlint/core": "13.0.7",
    "@secretlint/secretlint-rule-pattern": "13.0.6",
  });
  const load = (path: string) => import(pathToFileURL(join(modules, "@secretlint", path)).href);
  const { lintSource } = await load("core/module/index.js") as Secretlint;
  const rule = (await load("secretlint-rule-pattern/module/index.js")).creator;
  const [, document] = /```json\n([\s\S]*?)```/.exec(PAGE)!;
  const { rules } = JSON.parse(document!) as { rules: { id: string }[] };
  const options = {
    config: { rules: rules.map((one) => ({ ...one, rule })) },
    noPhysicFilePath: true,
  };
  return async (content) => {
    const source = { filePath: "/project/.env", content, contentType: "text" } as const;
    const { messages } = await lintSource({ source, options });
    return messages.map(({ range: [start, end] }) => content.slice(start, end));
  };
}

// Tracks: R188
Deno.test({
  name:
    "secretlint finds a leaked key by the rule of the documents, wherever it stands, and nothing else",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const scan = await createScan();
    for (const mode of ["live", "test"]) {
      const key = writeApiKey(`acme_${mode}_`, { id: createKeyId(), secret: createKeySecret() });
      for (
        const text of [
          `ACME_KEY=${key}`,
          `const key = "${key}";`,
          `curl -H 'Authorization: Bearer ${key}' https://app.example/api`,
          `https://app.example/?key=${key}&x=1`,
          `{"key":"${key}"}`,
          key,
        ]
      ) {
        assert.deepEqual(await scan(text), [key], text);
      }
      const harmless = [
        key.slice(0, -1),
        key.replace("acme_", "other_"),
        `Authorization: Bearer acme_${mode}_…`,
        `acme_${mode}_${createKeyId()}`,
      ];
      assert.deepEqual(await scan(harmless.join("\n")), []);
    }
  },
});
