import { functionName, importPath, lines, type Place } from "./source_text.ts";

/** The text of a new layout.tsx. The outermost one writes the document. */
export function layoutSource(place: Place): string {
  const { folders, pattern } = place;
  const isRoot = folders.length === 0;
  return lines([
    'import type { LayoutProps } from "@framework/cli/runtime";',
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    "",
    isRoot
      ? "/** The frame of every page. */"
      : `/** What surrounds every page under \`${pattern}\`. */`,
    `export default function ${
      functionName(place, "Layout")
    }({ children }: LayoutProps): JSX.Element {`,
    ...(isRoot ? documentLines : ["  return <section>{children}</section>;"]),
    "}",
  ]);
}

const documentLines = [
  "  return (",
  '    <html lang="en">',
  "      <head>",
  '        <meta charset="utf-8" />',
  '        <meta name="viewport" content="width=device-width, initial-scale=1" />',
  "      </head>",
  "      <body>",
  "        <main>{children}</main>",
  "      </body>",
  "    </html>",
  "  );",
];

/** The text of a layout's test. */
export function layoutTest(place: Place): string {
  const component = functionName(place, "Layout");
  const element = place.folders.length === 0 ? "main" : "section";
  return lines([
    'import { expect, it } from "vitest";',
    `import ${component} from "${importPath(place.testFile, place.file)}";`,
    "",
    `it(${JSON.stringify(`the layout of ${place.pattern} surrounds its pages`)}, async () => {`,
    '  const props = { children: "what it surrounds", data: undefined, params: {} };',
    `  const html = String(await ${component}(props));`,
    `  expect(html).toContain("<${element}>what it surrounds</${element}>");`,
    "});",
  ]);
}
