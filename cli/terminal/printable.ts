/**
 * Replaces control characters, so that a file name or a compiler message cannot move the cursor,
 * clear the screen or rename the window. Line feeds and tabs stay.
 *
 * @param text Text of unknown origin.
 * @param options `allowColor` keeps colour sequences (SGR); everything else is replaced by `�`.
 */
export function printable(text: string, options: { allowColor?: boolean } = {}): string {
  return text.replace(CONTROL, (found) => {
    if (options.allowColor && found.length > 1) return found;
    return found.length > 1 ? "" : "\ufffd";
  });
}

// deno-lint-ignore no-control-regex -- control characters are the subject here.
const CONTROL = /\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
