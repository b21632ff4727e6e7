import type { ComponentName } from "./name.ts";
import { importPath, lines } from "./source_text.ts";

/** The text of a new component. */
export function componentSource({ name }: ComponentName): string {
  return lines([
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    "",
    `/** Properties of {@link ${name}}. */`,
    `export interface ${name}Props {`,
    "  title: string;",
    "}",
    "",
    `/** Shows its title. */`,
    `export function ${name}({ title }: ${name}Props): JSX.Element {`,
    "  return (",
    "    <article>",
    "      <h2>{title}</h2>",
    "    </article>",
    "  );",
    "}",
  ]);
}

/** The text of a component's test. */
export function componentTest(
  { name }: ComponentName,
  { file, testFile }: { file: string; testFile: string },
): string {
  return lines([
    'import { expect, it } from "vitest";',
    `import { ${name} } from "${importPath(testFile, file)}";`,
    "",
    `it("${name} shows its title", async () => {`,
    `  const html = String(await ${name}({ title: "A title" }));`,
    '  expect(html).toContain("<h2>A title</h2>");',
    "});",
  ]);
}
