import type { JSXNode } from "hono/jsx";
import { HtmlEscapedCallbackPhase, type HtmlEscapedString, resolveCallback } from "hono/utils/html";

type Piece = string | HtmlEscapedString;

/** Rendered part of a tree, with the parts that are still being rendered. */
export interface Rendered {
  html: string;
  /** Late parts; each resolves with markup that inserts itself. */
  late: Promise<Piece>[];
}

/**
 * Renders a tree; a `Suspense` whose content is not ready is rendered as its fallback for now.
 *
 * @param isWhole Waits for all content instead: scripts that insert it would not run where it is shown.
 */
export async function renderTree(node: JSXNode, isWhole = false): Promise<Rendered> {
  const tree = await node.toString() as Piece;
  if (isWhole) {
    const html = await resolveCallback(tree, HtmlEscapedCallbackPhase.Stringify, false, {});
    return { html: String(html), late: [] };
  }
  const html = await resolveCallback(tree, HtmlEscapedCallbackPhase.BeforeStream, true, {});
  const late = follow(html);
  // They may fail before the response reads them, and then the response reports the error.
  for (const part of late) part.catch(() => {});
  return { html: String(html), late };
}

/**
 * Streams a document and then its late parts, in the order in which they are ready: inside the
 * body, so that the markup after `</body>` still follows.
 *
 * @param document The whole document, with the fallbacks.
 * @param late What replaces them.
 * @param onError Hears of a part that failed; its fallback stays.
 */
export function streamDocument(
  document: string,
  late: Promise<Piece>[],
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = document.toLowerCase().lastIndexOf("</body>");
  const split = end === -1 ? document.length : end;
  let cancelled = false;
  return new ReadableStream({
    async start(controller) {
      const send = (text: string): void => {
        if (!cancelled && text !== "") controller.enqueue(encoder.encode(text));
      };
      async function sendPart(part: Promise<Piece>): Promise<void> {
        try {
          const html = await resolveCallback(
            await part,
            HtmlEscapedCallbackPhase.BeforeStream,
            true,
            {},
          );
          send(String(html));
          await Promise.all(follow(html).map(sendPart));
        } catch (error) {
          onError(error);
        }
      }
      send(document.slice(0, split));
      await Promise.all(late.map(sendPart));
      send(document.slice(split));
      if (!cancelled) controller.close();
    },
    cancel() {
      cancelled = true;
    },
  });
}

/** Returns promises of markup that a rendered part announces for later. */
function follow(html: Piece): Promise<Piece>[] {
  const callbacks = (html as Partial<HtmlEscapedString>).callbacks ?? [];
  return callbacks.flatMap((callback) => {
    const part = callback({ phase: HtmlEscapedCallbackPhase.Stream, context: {} });
    return part === undefined ? [] : [part as Promise<Piece>];
  });
}
