import type { ResolvedMetadata } from "./metadata.ts";

const startsDocument = /^\s*(<!doctype[^>]*>\s*)?<html[\s>]/i;
const titleElement = /<title(\s[^>]*)?>[^<]*<\/title>/i;

/**
 * Completes a rendered page and its layouts to a document. The page's title, description and other
 * metadata replace those of a layout. Without a layout that renders `<html>`, a plain document is
 * added.
 *
 * @param body What was rendered.
 * @param metadata Title, description and the like, merged.
 * @param links Markup of the head that loads stylesheets and scripts.
 */
export function createDocument(body: string, metadata: ResolvedMetadata, links = ""): string {
  const html = startsDocument.test(body) ? body : `<html lang="en"><head><meta charset="utf-8"/>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"/></head><body>${body}</body></html>`;
  const whole = /^\s*<!doctype/i.test(html) ? html : `<!DOCTYPE html>${html}`;
  // A layout may omit the head.
  const document = /<\/head>/i.test(whole)
    ? whole
    : whole.replace(/<html(\s[^>]*)?>/i, (start) => `${start}<head><meta charset="utf-8"/></head>`);
  const end = document.search(/<\/head>/i);
  let head = document.slice(0, end);
  if (metadata.title !== undefined) {
    head = place(head, titleElement, `<title>${escapeHtml(metadata.title)}</title>`);
  }
  for (const name of ["description", "robots"] as const) {
    const value = metadata[name];
    if (value !== undefined) {
      head = place(head, existingMeta(name), metaElement("name", name, value));
    }
  }
  if (metadata.canonical !== undefined) {
    const element = `<link rel="canonical" href="${escapeHtml(metadata.canonical)}"/>`;
    head = place(head, /<link\s[^>]*rel="canonical"[^>]*>/i, element);
  }
  return head + (metadata.elements ?? "") + links + document.slice(end);
}

/** Returns a `<meta>` element. */
export function metaElement(kind: "name" | "property", name: string, content: string): string {
  return `<meta ${kind}="${escapeHtml(name)}" content="${escapeHtml(content)}"/>`;
}

function existingMeta(name: "description" | "robots"): RegExp {
  return new RegExp(`<meta\\s[^>]*name="${name}"[^>]*>`, "i");
}

function place(head: string, existing: RegExp, element: string): string {
  return existing.test(head) ? head.replace(existing, () => element) : head + element;
}

/** Escapes text for an element and for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
