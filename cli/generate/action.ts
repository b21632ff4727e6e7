import { readModuleNames } from "../app/exports.ts";
import { CliError } from "../terminal/exit.ts";
import {
  declaration,
  examplePath,
  functionName,
  importPath,
  lines,
  paramsValue,
  pathType,
  type Place,
  titleOf,
} from "./source_text.ts";

const IMPORT = 'import type { ActionArgs } from "@framework/cli/runtime";\n';

function actionSource(place: Place): string {
  return lines([
    "/** Receives the form of this page; the result is `actionData` of the component. */",
    ...declaration(
      "export async function action",
      `{ request }: ActionArgs<${pathType(place)}>`,
      "Promise<{ name: string }>",
    ),
    "  const form = await request.formData();",
    '  return { name: String(form.get("name") ?? "") };',
    "}",
  ]);
}

/**
 * Adds an action to a page.
 *
 * @param source Text of its page.tsx.
 * @param place Properties of the file.
 * @throws {CliError} Exit code 1 when it has one.
 */
export function withAction(source: string, place: Place): string {
  const { file } = place;
  const names = readModuleNames(source, file)?.exports.map(({ name }) => name) ?? [];
  if (names.includes("action")) {
    throw new CliError(`${file} already exports an action.`, {
      hint: "A page has one action; tell forms apart by a field, such as the name of the button.",
    });
  }
  const known = /\bActionArgs\b/.test(source);
  return `${known ? "" : IMPORT}${source.trimEnd()}\n\n${actionSource(place)}`;
}

/** Generates a page.tsx with a form and its action. */
export function formPageSource(place: Place): string {
  return lines([
    'import type { ActionArgs, PageProps } from "@framework/cli/runtime";',
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    "",
    `export const metadata = { title: ${JSON.stringify(titleOf(place))} };`,
    "",
    actionSource(place),
    `/** The page at \`${place.pattern}\`. */`,
    ...declaration(
      `export default function ${functionName(place, "Page")}`,
      `{ actionData }: PageProps<${pathType(place)}>`,
    ),
    "  return (",
    "    <>",
    `      <h1>${titleOf(place)}</h1>`,
    '      {actionData && <p role="status">Thank you, {actionData.name}.</p>}',
    '      <form method="post">',
    "        <label>",
    '          Name <input name="name" required />',
    "        </label>",
    '        <button type="submit">Send</button>',
    "      </form>",
    "    </>",
    "  );",
    "}",
  ]);
}

/** Generates the test of a page's action. */
export function actionTest(place: Place): string {
  const { segments, pattern, file, testFile } = place;
  return lines([
    'import { createMockContext, createMockRequest } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import { action } from "${importPath(testFile, file)}";`,
    "",
    `it(${JSON.stringify(`the action of ${pattern} receives its form`)}, async () => {`,
    `  const params = ${paramsValue(segments)};`,
    '  const body = new URLSearchParams({ name: "Ada" });',
    `  const request = createMockRequest("${examplePath(segments)}", { method: "POST", body });`,
    "  const context = createMockContext({ params });",
    '  expect(await action({ params, request, context })).toEqual({ name: "Ada" });',
    "});",
  ]);
}
