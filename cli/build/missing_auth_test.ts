import assert from "node:assert/strict";
import { join } from "node:path";
import { scanApp } from "../app/scan.ts";
import { findAuthUses } from "./missing_auth.ts";

async function usesIn(files: Record<string, string>): Promise<string[]> {
  const root = await Deno.makeTempDir({ prefix: "framework-missing-auth-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = join(root, name);
      await Deno.mkdir(join(file, ".."), { recursive: true });
      await Deno.writeTextFile(file, text);
    }
    const appDir = join(root, "app");
    const found = await findAuthUses({ root, appDir }, await scanApp(appDir));
    for (const { notes } of found) assert.match(notes[0]!, /framework generate auth/);
    return found.map(({ message, file, line, column, lineText }) =>
      `${file}:${line}:${column} ${message} | ${lineText}`
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const PAGE = `import { href } from "@framework/cli/href";
import {
  generateToken,
  getUser,
} from "@framework/auth";
export default () => <p>{getUser()?.name}</p>;
`;
const GUARD = `import { authMiddleware } from "@framework/auth/middleware";
export default authMiddleware({ required: true });
`;
const DEFAULT = "export default () => <p>Hello</p>;\n";

Deno.test("without app/auth each file that asks who is signed in is told, with its line", async () => {
  assert.deepEqual(
    await usesIn({
      "app/page.tsx": PAGE,
      "app/_lib/named.ts": 'import { requireRole as need } from "@framework/auth";\n',
      "app/admin/middleware.ts": GUARD,
      "app/admin/page.tsx": DEFAULT,
      "app/t/[tenant]/middleware.ts":
        'import { getTenantName, requireMember } from "@framework/auth/tenant";\n',
    }),
    [
      "app/_lib/named.ts:1:10 requireRole asks who is signed in, and this application has no app/auth. | " +
      'import { requireRole as need } from "@framework/auth";',
      "app/admin/middleware.ts:1:10 authMiddleware asks who is signed in, and this application has no app/auth. | " +
      'import { authMiddleware } from "@framework/auth/middleware";',
      "app/page.tsx:4:3 getUser asks who is signed in, and this application has no app/auth. |   getUser,",
      "app/t/[tenant]/middleware.ts:1:25 requireMember asks who is signed in, and this application has no app/auth. | " +
      'import { getTenantName, requireMember } from "@framework/auth/tenant";',
    ],
  );
});

Deno.test("nothing is told of what needs nobody, of tests, of types, or with authentication of the application's own", async () => {
  const files = {
    "app/page.tsx": DEFAULT,
    "app/token.ts": 'import { generateToken, hashPassword } from "@framework/auth";\n',
    "app/page.test.tsx": PAGE,
    "app/types.ts": 'import type { User } from "@framework/auth";\n',
    "app/_lib/mine.ts": 'import { getUser } from "./get_user.ts";\n',
    // A folder, whose route is the file of a browser.
    "app/sw.js/route.ts": 'export const GET = () => "";\n',
  };
  assert.deepEqual(await usesIn(files), []);
  const uses = { ...files, "app/page.tsx": PAGE };
  assert.equal((await usesIn(uses)).length, 1);
  const own = 'import { createAuth } from "@framework/auth";\nexport const auth = createAuth();\n';
  assert.deepEqual(await usesIn({ ...uses, "app/_lib/auth.ts": own }), []);
  const config = 'import { defineAuthConfig } from "@framework/auth/convention";\n' +
    "export default defineAuthConfig({});\n";
  assert.deepEqual(await usesIn({ ...uses, "app/auth/config.ts": config }), []);
});
