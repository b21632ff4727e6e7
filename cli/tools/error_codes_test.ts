import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pointToCode } from "./error_codes.ts";

const document = fileURLToPath(new URL("../../docs/error_codes.md", import.meta.url));

async function withProject(act: (root: string) => void | Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "framework-codes-"));
  try {
    await act(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

Deno.test("pointToCode() leads to the entry of an error in the installed documents", async () => {
  await withProject(async (root) => {
    const docs = join(root, "node_modules/@framework/auth/docs");
    await mkdir(docs, { recursive: true });
    await copyFile(document, join(docs, "error_codes.md"));
    const lines = (await readFile(document, "utf8")).split("\n");
    const cases: [text: string, code: string][] = [
      ["[7] GET / failed. OutsideRequestError: Cannot call getUser()\n    at x", "OUTSIDE_REQUEST"],
      ["Error: no\nCaused by: StorageUnavailableError: no answer", "STORAGE_UNAVAILABLE"],
      ['sign-in-failed {"code":"OAUTH_STATE_FOREIGN"}', "OAUTH_STATE_FOREIGN"],
      ["sign-in-failed { code: 'x' } code: OAUTH_GRANT_LOST", "OAUTH_GRANT_LOST"],
      ["ClientPropError: The prop is a function", "CLIENT_PROP"],
    ];
    for (const [text, code] of cases) {
      const said = pointToCode(text, join(root, "packages", "app"))!;
      const [, place, line] =
        /^About (\w+): \.\.\/\.\.\/node_modules\/@framework\/auth\/docs\/error_codes\.md:(\d+)$/
          .exec(said) ?? [];
      assert.equal(place, code);
      assert.equal(lines[Number(line) - 1], `### ${code}`);
    }
    for (
      const text of ["TypeError: no", "ready", "PlanRequiredError: pay", 'code: "PLAN_NEEDED"']
    ) {
      assert.equal(pointToCode(text, root), undefined);
    }
  });
});

Deno.test("pointToCode() says nothing where the documents are not installed", async () => {
  await withProject((root) => {
    assert.equal(pointToCode("ConfigurationError: no", root), undefined);
  });
});
