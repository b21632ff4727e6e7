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

/** Schema library of the project, with which an action is written. */
export type SchemaLibrary = "valibot" | "zod";

const SCHEMAS: Record<SchemaLibrary, { load: string; schema: string[] }> = {
  valibot: {
    load: 'import { nonEmpty, object, pipe, string } from "valibot";',
    schema: [
      "export const input = object({",
      '  name: pipe(string(), nonEmpty("Please enter your name.")),',
      "});",
    ],
  },
  zod: {
    load: 'import { z } from "zod";',
    schema: [
      "export const input = z.object({",
      '  name: z.string().min(1, "Please enter your name."),',
      "});",
    ],
  },
};

function actionSource(place: Place, library: SchemaLibrary | null): string {
  if (library !== null) {
    return lines([
      "/** What the form sends. What this refuses is shown again, and does not reach the action. */",
      ...SCHEMAS[library].schema,
      "",
      "/** Receives the form of this page; the result is `actionData` of the component. */",
      ...declaration(
        "export function action",
        `{ context }: ActionArgs<${pathType(place)}>`,
        "{ name: string }",
      ),
      "  return { name: context.input.name };",
      "}",
    ]);
  }
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
 * @param library Schema library of the project; without one, the action reads the form itself.
 * @throws {CliError} Exit code 1 when it has one, and when it is prerendered.
 */
export function withAction(
  source: string,
  place: Place,
  library: SchemaLibrary | null,
): string {
  const { file } = place;
  const names = readModuleNames(source, file)?.exports.map(({ name }) => name) ?? [];
  if (names.includes("action")) {
    throw new CliError(`${file} already exports an action.`, {
      hint: "A page has one action; tell forms apart by a field, such as the name of the button.",
    });
  }
  if (names.includes("prerender") && !/\bprerender\s*=\s*false\b/.test(source)) {
    throw new CliError(`${file} is prerendered, and a file takes no form.`, {
      hint: "Remove its export prerender, or add the action to another page.",
    });
  }
  const load = library === null ? "" : `${SCHEMAS[library].load}\n`;
  const imports = [
    /\bActionArgs\b/.test(source) ? "" : IMPORT,
    source.includes(load) ? "" : load,
  ].join("");
  return `${imports}${source.trimEnd()}\n\n${actionSource(place, library)}`;
}

/** Generates a page.tsx with a form and its action. */
export function formPageSource(place: Place, library: SchemaLibrary | null): string {
  const hasSchema = library !== null;
  return lines([
    hasSchema && 'import { errorProps, fieldProps, Form } from "@framework/cli/form";',
    'import type { ActionArgs, PageProps } from "@framework/cli/runtime";',
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    hasSchema && SCHEMAS[library].load,
    "",
    `export const metadata = { title: ${JSON.stringify(titleOf(place))} };`,
    "",
    actionSource(place, library),
    `/** The page at \`${place.pattern}\`. */`,
    ...declaration(
      `export default function ${functionName(place, "Page")}`,
      `{ actionData${hasSchema ? ", form" : ""} }: PageProps<${pathType(place)}>`,
    ),
    "  return (",
    "    <>",
    `      <h1>${titleOf(place)}</h1>`,
    '      {actionData && <p role="status">Thank you, {actionData.name}.</p>}',
    ...(hasSchema
      ? [
        "      <Form>",
        "        <label>",
        '          Name <input {...fieldProps(form, "name")} required />',
        "        </label>",
        '        <p {...errorProps(form, "name")} />',
        '        <button type="submit">Send</button>',
        "      </Form>",
      ]
      : [
        '      <form method="post">',
        "        <label>",
        '          Name <input name="name" required />',
        "        </label>",
        '        <button type="submit">Send</button>',
        "      </form>",
      ]),
    "    </>",
    "  );",
    "}",
  ]);
}

/** Generates the test of a page's action. */
export function actionTest(place: Place, library: SchemaLibrary | null): string {
  const hasSchema = library !== null;
  const { segments, pattern, file, testFile } = place;
  return lines([
    'import { createMockContext, createMockRequest } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import { action } from "${importPath(testFile, file)}";`,
    "",
    `it(${JSON.stringify(`the action of ${pattern} receives its form`)}, async () => {`,
    `  const params = ${paramsValue(segments)};`,
    !hasSchema && '  const body = new URLSearchParams({ name: "Ada" });',
    `  const request = createMockRequest("${examplePath(segments)}", { method: "POST"${
      hasSchema ? "" : ", body"
    } });`,
    `  const context = createMockContext({ params${
      hasSchema ? ', input: { name: "Ada" }' : ""
    } });`,
    '  expect(await action({ params, searchParams: {}, request, context })).toEqual({ name: "Ada" });',
    "});",
  ]);
}
