import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { writeDocuments } from "./npm_documents.ts";
import { listFiles, readWorkspace } from "./workspace.ts";

const REPOSITORY = {
  "auth/README.md": "# auth\n[Sessions](../docs/sessions.md#times), [here](#auth), " +
    "[the command](../cli/README.md#dev), [elsewhere](https://a.example/), " +
    "[its code](../auth/mod.ts), ![picture](../docs/a.png)",
  "docs/sessions.md":
    "[Roles](roles.md) and [auth](../auth/README.md#use), [rules](../SECURITY.md)",
  "docs/roles.md": "[first page](../README.md) [back](sessions.md)",
  "docs/unlinked.md": "Nobody links to it",
  "SECURITY.md": "[Sessions](docs/sessions.md)",
};

async function written(repository?: string): Promise<Record<string, string>> {
  const root = await Deno.makeTempDir({ prefix: "framework-documents-" });
  try {
    for (const [name, text] of Object.entries(REPOSITORY)) {
      await Deno.mkdir(dirname(join(root, name)), { recursive: true });
      await Deno.writeTextFile(join(root, name), text);
    }
    const { members } = await readWorkspace();
    const folder = join(root, "npm", "auth");
    await writeDocuments(folder, { workspace: { root, members }, member: "auth", repository });
    const files = await listFiles(folder);
    const texts = files.map(async (name) => [name, await Deno.readTextFile(join(folder, name))]);
    return Object.fromEntries(await Promise.all(texts));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

// Tracks: AU-14
Deno.test("writeDocuments() packs the guides that the README needs, and every link leads somewhere", async () => {
  assert.deepEqual(await written(), {
    "README.md": "# auth\n[Sessions](docs/sessions.md#times), [here](#auth), " +
      "[the command](https://www.npmjs.com/package/@framework/cli#dev), " +
      "[elsewhere](https://a.example/), its code, ![picture](../docs/a.png)",
    "SECURITY.md": "[Sessions](docs/sessions.md)",
    "docs/roles.md": "first page [back](sessions.md)",
    "docs/sessions.md": "[Roles](roles.md) and [auth](../README.md#use), [rules](../SECURITY.md)",
  });
});

// Tracks: AU-14
Deno.test("writeDocuments() leads to the repository for what is not packed, where that is known", async () => {
  const files = await written("https://git.example/framework");
  assert.match(
    files["README.md"]!,
    /\[its code\]\(https:\/\/git\.example\/framework\/blob\/HEAD\/auth\/mod\.ts\)/,
  );
  assert.match(
    files["docs/roles.md"]!,
    /\[first page\]\(https:\/\/git\.example\/framework\/blob\/HEAD\/README\.md\)/,
  );
});
