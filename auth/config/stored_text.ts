/**
 * Whether a text can be stored and shown as it is: not longer than this, with no control characters and no
 * unpaired surrogates. Databases refuse or change those (PostgreSQL takes no NUL, UTF-8 has no lone surrogates),
 * and a name of a megabyte is read with every page that lists people.
 *
 * @param max How many UTF-16 code units it may have.
 */
export function isStorable(text: string, max: number): boolean {
  // No \p{Cc}: its set would be made when the program is read, which a worker starts with.
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/;
  return text.length <= max && text.isWellFormed() && !control.test(text);
}

/** What of a text can be stored as it is: the beginning, without what {@linkcode isStorable} refuses. */
export function storablePart(text: string, max: number): string {
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/g;
  // Half of a pair at the end would be an unpaired one.
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, "").toWellFormed().replace(control, "");
}

/** How long a name may be, in UTF-16 code units. */
export const MAX_NAME = 256;

const MAX_IMAGE = 2048;

/** Whether a text is the address of a picture that other people's browsers may fetch: https, and nothing that runs. */
export function isImage(text: string): boolean {
  if (!isStorable(text, MAX_IMAGE) || !/^https:\/\//i.test(text)) return false;
  return URL.canParse(text) && new URL(text).username === "";
}
