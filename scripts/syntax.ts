/**
 * Syntax colours of the documentation: each part of the code gets a class when the site is built, so that its pages need no
 * script and no style attribute.
 *
 * @module
 */

import {
  createCssVariablesTheme,
  createHighlighterCoreSync,
  type LanguageRegistration,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import astro from "shiki/langs/astro.mjs";
import css from "shiki/langs/css.mjs";
import diff from "shiki/langs/diff.mjs";
import html from "shiki/langs/html.mjs";
import json from "shiki/langs/json.mjs";
import jsonc from "shiki/langs/jsonc.mjs";
import powershell from "shiki/langs/powershell.mjs";
import shellscript from "shiki/langs/shellscript.mjs";
import sql from "shiki/langs/sql.mjs";
import svelte from "shiki/langs/svelte.mjs";
import toml from "shiki/langs/toml.mjs";
import tsx from "shiki/langs/tsx.mjs";
import typescript from "shiki/langs/typescript.mjs";
import vue from "shiki/langs/vue.mjs";
import yaml from "shiki/langs/yaml.mjs";

/** Languages by the name behind the fence. Any other stays plain. */
const LANGUAGES: Readonly<Record<string, LanguageRegistration[]>> = {
  astro,
  bash: shellscript,
  css,
  diff,
  html,
  js: typescript,
  json,
  jsonc,
  jsx: tsx,
  powershell,
  sh: shellscript,
  sql,
  svelte,
  toml,
  ts: typescript,
  tsx,
  vue,
  yaml,
};

/** Kinds of parts that have a colour, by the variable of the theme. All else is as the text. */
const KINDS: Readonly<Record<string, Kind>> = {
  "token-keyword": "keyword",
  "token-string": "string",
  "token-string-expression": "string",
  "token-function": "function",
  "token-constant": "constant",
  "token-comment": "comment",
  "token-inserted": "string",
  "token-deleted": "deleted",
};

type Kind = keyof typeof COLOURS;

/** Colours of the parts, for light and for dark. Each is readable on the panel of a block: `syntax_test.ts` measures it. */
export const COLOURS = {
  keyword: ["#8a1f9e", "#d9a8ff"],
  string: ["#17692c", "#98d78c"],
  function: ["#0f5688", "#7ec8f0"],
  constant: ["#8f4600", "#f2b57e"],
  comment: ["#5a6373", "#9aa4b3"],
  deleted: ["#ab2218", "#ffa198"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const theme = createCssVariablesTheme({ variablePrefix: "" });
// Else some variables would have a colour and others none, and a command one from its second word on.
theme.tokenColors!.push({
  scope: [
    "string.unquoted.argument",
    "variable.other.object",
    "variable.other.constant",
    "punctuation.separator.key-value",
    "keyword.operator.type.annotation",
  ],
  settings: { foreground: "var(foreground)" },
});
const highlighter = createHighlighterCoreSync({
  themes: [theme],
  langs: Object.values(LANGUAGES),
  engine: createJavaScriptRegexEngine(),
});

/** Stylesheet of the colours. */
export const syntaxStyle: string = Object.entries(COLOURS)
  .map(([kind, [light, dark]]) => `pre .${kind} { color: light-dark(${light}, ${dark}) }\n`).join(
    "",
  );

/**
 * Writes code as HTML, with a class around each part that has a colour.
 *
 * @param language Word behind the fence, such as "ts". Of a language that is not known the code stays plain.
 * @param escape Replaces what means something in HTML.
 */
export function highlight(
  code: string,
  language: string,
  escape: (text: string) => string,
): string {
  if (!Object.hasOwn(LANGUAGES, language)) return escape(code);
  const [{ name: lang }] = LANGUAGES[language]!.slice(-1) as [LanguageRegistration];
  const lines = highlighter.codeToTokensBase(code, {
    lang,
    theme: theme.name!,
    // On a busy machine the rest of a line would stay plain.
    tokenizeTimeLimit: 0,
  });
  return lines.map((line) => {
    const parts: { kind: Kind | undefined; text: string }[] = [];
    for (const { content, color = "" } of line) {
      const kind = KINDS[color.replace(/^var\(|\)$/g, "")];
      const last = parts.at(-1);
      // Space has no colour: what stands on both sides of it is one part.
      if (last !== undefined && (last.kind === kind || content.trim() === "")) last.text += content;
      else parts.push({ kind, text: content });
    }
    return parts.map(({ kind, text }) =>
      kind === undefined ? escape(text) : `<span class="${kind}">${escape(text)}</span>`
    ).join("");
  }).join("\n");
}
