/** The last character there is. */
const LAST = 0x10_ffff;

/**
 * Returns the first text behind all that begin with a prefix, in the order of code points, which is that of bytes in
 * UTF-8; null when no text is behind them.
 *
 * @param prefix Any text.
 */
export function firstBehind(prefix: string): string | null {
  const points = Array.from(prefix.toWellFormed(), (character) => character.codePointAt(0)!);
  while (points.at(-1) === LAST) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Between these two there are halves of characters only.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}
