import assert from "node:assert/strict";
import { readExamples } from "./examples.ts";

Deno.test("readExamples() reads the blocks of docstrings, with the lines where they begin", () => {
  const text = `/**
 * Does it.
 *
 * @example One
 * \`\`\`ts
 * import { a } from "a";
 *
 * a({
 *   b: 1,
 * });
 * \`\`\`
 */
export function a() {}
  /**
   * \`\`\`tsx
   * <b />;
   * \`\`\`
   */
`;
  assert.deepEqual(readExamples(text, { markdown: false }), [
    { line: 6, language: "ts", text: 'import { a } from "a";\n\na({\n  b: 1,\n});\n' },
    { line: 16, language: "tsx", text: "<b />;\n" },
  ]);
});

Deno.test("readExamples() reads the blocks of Markdown", () => {
  const text = "Text:\n\n```ts\na();\n```\n\n- in a list\n\n  ```js\n  b();\n  ```\n";
  assert.deepEqual(readExamples(text, { markdown: true }), [
    { line: 4, language: "ts", text: "a();\n" },
    { line: 10, language: "js", text: "  b();\n" },
  ]);
});

Deno.test("readExamples() leaves what says ignore, other languages, and fences of code itself", () => {
  const text = "```ts ignore\na();\n```\n\n```sh\nls\n```\n\n```ts\nb();\n```\n";
  assert.deepEqual(readExamples(text, { markdown: true }).map(({ text }) => text), ["b();\n"]);
  assert.deepEqual(readExamples(text, { markdown: false }), []);
});
