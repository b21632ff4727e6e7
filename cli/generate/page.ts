import type { ComponentName } from "./name.ts";
import {
  declaration,
  dynamic,
  examplePath,
  functionName,
  importPath,
  layoutDataValue,
  lines,
  paramsType,
  paramsValue,
  pathType,
  type Place,
  readParam,
  titleOf,
} from "./source_text.ts";

/** Generates a new page.tsx. */
export function pageSource(place: Place, options: { loader: boolean }): string {
  const { segments, pattern } = place;
  const { loader } = options;
  const used = loader ? "{ data }" : "{ params }";
  const hasProps = loader || dynamic(segments).length > 0;
  const signature = hasProps ? `${used}: PageProps<${pathType(place)}>` : "";
  return lines([
    signature !== "" &&
    `import type { ${loader ? "LoaderArgs, " : ""}PageProps } from "@framework/cli/runtime";`,
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    "",
    `export const metadata = { title: ${JSON.stringify(titleOf(place))} };`,
    "",
    loader && `${loaderSource(place)}\n`,
    `/** The page at \`${pattern}\`. */`,
    ...declaration(`export default function ${functionName(place, "Page")}`, signature),
    "  return (",
    "    <>",
    `      <h1>${titleOf(place)}</h1>`,
    ...shownValues(place, loader).map((value) => `      <p>{${value}}</p>`),
    "    </>",
    "  );",
    "}",
  ]);
}

function loaderSource(place: Place): string {
  const type = paramsType(place.segments) ?? "{ path: string }";
  const hasParams = dynamic(place.segments).length > 0;
  const used = hasParams ? "params" : "request";
  const value = hasParams ? "params" : "{ path: new URL(request.url).pathname }";
  return lines([
    "/** Loads the page's data on the server; `context.db` queries the database. */",
    ...declaration("export function loader", `{ ${used} }: LoaderArgs<${pathType(place)}>`, type),
    `  return ${value};`,
    "}",
  ]).trimEnd();
}

function shownValues({ segments }: Place, loader: boolean): string[] {
  const names = dynamic(segments);
  if (loader && names.length === 0) return ["data.path"];
  return names.map(({ kind, name }) => {
    const value = loader ? readParam(name).replace(/^params/, "data") : readParam(name);
    return kind === "param" ? value : `${value}.join("/")`;
  });
}

/** Generates a page's test. */
export function pageTest(place: Place, options: { loader: boolean }): string {
  const { segments, pattern, file, testFile } = place;
  const { loader } = options;
  const component = functionName(place, "Page");
  const hasParams = dynamic(segments).length > 0;
  const needsProps = loader || hasParams;
  const props = [
    loader ? "data" : "data: undefined",
    layoutDataValue(place, "PageProps"),
    hasParams ? "params" : "params: {}",
    "searchParams: {}",
  ];
  return lines([
    needsProps && place.hasLayoutData &&
    'import type { PageProps } from "@framework/cli/runtime";',
    loader && 'import { createMockContext, createMockRequest } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import ${component}${loader ? ", { loader }" : ""} from "${importPath(testFile, file)}";`,
    "",
    `it(${JSON.stringify(`${pattern} shows its heading`)}, async () => {`,
    hasParams && `  const params = ${paramsValue(segments)};`,
    loader && `  const request = createMockRequest("${examplePath(segments)}");`,
    loader && `  const context = createMockContext(${hasParams ? "{ params }" : ""});`,
    loader &&
    `  const data = loader({ params${
      hasParams ? "" : ": {}"
    }, searchParams: {}, request, context });`,
    ...(needsProps ? declaredProps(props) : []),
    `  const html = String(await ${component}(${needsProps ? "props" : ""}));`,
    `  expect(html).toContain("<h1>${titleOf(place)}</h1>");`,
    "});",
  ]);
}

/** Declares props in a test: on one line when it is short enough, otherwise with each on a separate line. */
function declaredProps(props: readonly string[]): string[] {
  const line = `  const props = { ${props.join(", ")} };`;
  if (line.length <= 100) return [line];
  return ["  const props = {", ...props.map((prop) => `    ${prop},`), "  };"];
}

/** Generates a new layout.tsx. The root layout renders the document. */
export function layoutSource(place: Place): string {
  const { folders, pattern } = place;
  const isRoot = folders.length === 0;
  return lines([
    'import type { LayoutProps } from "@framework/cli/runtime";',
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    "",
    isRoot
      ? "/** The frame of every page. */"
      : `/** Layout of every page under \`${pattern}\`. */`,
    ...declaration(
      `export default function ${functionName(place, "Layout")}`,
      `{ children }: LayoutProps<${pathType(place)}>`,
    ),
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

/** Generates a layout's test. */
export function layoutTest(place: Place): string {
  const component = functionName(place, "Layout");
  const element = place.folders.length === 0 ? "main" : "section";
  return lines([
    place.hasLayoutData && 'import type { LayoutProps } from "@framework/cli/runtime";',
    'import { expect, it } from "vitest";',
    `import ${component} from "${importPath(place.testFile, place.file)}";`,
    "",
    `it(${JSON.stringify(`the layout of ${place.pattern} surrounds its pages`)}, async () => {`,
    `  const params = ${paramsValue(place.segments)};`,
    ...declaredProps([
      'children: "what it surrounds"',
      "data: undefined",
      layoutDataValue(place, "LayoutProps"),
      "params",
    ]),
    `  const html = String(await ${component}(props));`,
    `  expect(html).toContain("<${element}>what it surrounds</${element}>");`,
    "});",
  ]);
}

/** Generates a new component. */
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

/** Generates a component's test. */
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
