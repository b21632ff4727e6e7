import type { Metadata } from "./types.ts";

const startsDocument = /^\s*(<!doctype[^>]*>\s*)?<html[\s>]/i;
const titleElement = /<title(\s[^>]*)?>[^<]*<\/title>/i;
const descriptionElement = /<meta\s[^>]*name="description"[^>]*>/i;

/**
 * Makes a whole document of what a page and its layouts rendered.
 *
 * The page's title and description replace those that a layout wrote. Without a layout that renders `<html>`, a plain
 * document is put around.
 */
export function createDocument(body: string, metadata: Metadata): string {
  const html = startsDocument.test(body) ? body : `<html lang="en"><head><meta charset="utf-8"/>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"/></head><body>${body}</body></html>`;
  const document = /^\s*<!doctype/i.test(html) ? html : `<!DOCTYPE html>${html}`;
  const end = document.search(/<\/head>/i);
  if (end === -1) return document;
  let head = document.slice(0, end);
  if (metadata.title !== undefined) {
    head = place(head, titleElement, `<title>${escapeHtml(metadata.title)}</title>`);
  }
  if (metadata.description !== undefined) {
    const content = escapeHtml(metadata.description);
    head = place(head, descriptionElement, `<meta name="description" content="${content}"/>`);
  }
  return head + document.slice(end);
}

function place(head: string, existing: RegExp, element: string): string {
  return existing.test(head) ? head.replace(existing, () => element) : head + element;
}

/** Makes text safe inside an element and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
