/**
 * Links of a Markdown text.
 *
 * @module
 */

// Code comes first, so that nothing in it is taken for a link.
const LINKS =
  /^([ ]*)```[^]*?^\1```[ ]*$|(?<!!)\[((?:`[^`]*`|[^[\]`]|\[[^\]]*\])*)\]\(([^()\s]+)\)|`[^`]*`/gm;

/**
 * Gives the links of a text other addresses. Pictures and code stay as they are.
 *
 * @param text The Markdown.
 * @param rewrite Returns the new address; null leaves the words of the link in its place.
 */
export function rewriteLinks(text: string, rewrite: (address: string) => string | null): string {
  return text.replace(LINKS, (all, _indent, words: string | undefined, address: string) => {
    if (words === undefined) return all;
    const other = rewrite(address);
    return other === null ? words : `[${words}](${other})`;
  });
}
