/** White space, comments and other directives, which may stand before it. */
const before =
  /(?:\s+|\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/|(?:"(?!use client")[^"\\\n]*"|'(?!use client')[^'\\\n]*')\s*(?:;|\n))/y;
const directive = /(?:"use client"|'use client')\s*(?:;|\n|$)/y;

/**
 * Whether a file says that its components run in the browser too: by `"use client"` before everything else.
 *
 * @param source Text of the file.
 */
export function hasClientDirective(source: string): boolean {
  let at = source.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    before.lastIndex = at;
    if (!before.test(source)) break;
    at = before.lastIndex;
  }
  directive.lastIndex = at;
  return directive.test(source);
}
