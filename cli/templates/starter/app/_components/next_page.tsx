import type { JSX } from "hono/jsx/jsx-runtime";

/** Cursor of a list, from the address; the empty text is the beginning. */
export function cursorOf(request: Request): string {
  return new URL(request.url).searchParams.get("after") ?? "";
}

/** Leads to the next part of a list; nothing at its end. */
export function NextPage(
  { cursor, label }: { cursor: string | null; label: string },
): JSX.Element | null {
  if (cursor === null) return null;
  return (
    <p>
      <a href={`?after=${encodeURIComponent(cursor)}`} rel="next">{label}</a>
    </p>
  );
}
