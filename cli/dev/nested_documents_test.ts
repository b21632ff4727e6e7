import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { scanApp } from "../app/scan.ts";
import { findNestedDocuments } from "./nested_documents.ts";

async function nestedIn(files: Record<string, string>): Promise<string[]> {
  const root = await Deno.makeTempDir({ prefix: "framework-nested-documents-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(root, name)), { recursive: true });
      await Deno.writeTextFile(join(root, name), text);
    }
    const scan = await scanApp(join(root, "app"));
    return findNestedDocuments(root, scan).map(({ message, file, line, column, lineText }) =>
      `${file}:${line}:${column} ${message} | ${lineText}`
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const DOCUMENT = "export default ({ children }) =>\n  <html><body>{children}</body></html>;\n";
const PAGE = "export default () => <p>Hello</p>;\n";

Deno.test("findNestedDocuments() names a file that renders <html> inside a layout that does, and this layout", async () => {
  assert.deepEqual(
    await nestedIn({
      "app/layout.tsx": DOCUMENT,
      "app/page.tsx": PAGE,
      "app/[lang]/layout.tsx": DOCUMENT,
      "app/[lang]/page.tsx": PAGE,
      "app/[lang]/about/page.tsx": PAGE,
      "app/(shop)/cart/page.tsx": "export default () => <html lang='en'></html>;\n",
    }),
    [
      "app/(shop)/cart/page.tsx:1:22 <html> stands inside that of app/layout.tsx, and browsers drop it. | " +
      "export default () => <html lang='en'></html>;",
      "app/[lang]/layout.tsx:2:3 <html> stands inside that of app/layout.tsx, and browsers drop it. |   " +
      "<html><body>{children}</body></html>;",
    ],
  );
});

Deno.test("findNestedDocuments() finds nothing in groups with a document each, nor in comments", async () => {
  assert.deepEqual(
    await nestedIn({
      "app/(site)/layout.tsx": DOCUMENT,
      "app/(site)/page.tsx": PAGE,
      "app/(site)/about/layout.tsx":
        `// The document is that of <html> above.\n/* <html> */\n${PAGE}`,
      "app/(site)/about/page.tsx": PAGE,
      "app/[lang]/layout.tsx": DOCUMENT,
      "app/[lang]/page.tsx": PAGE,
    }),
    [],
  );
});
