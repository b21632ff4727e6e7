import type { JSX } from "hono/jsx/jsx-runtime";

/** A day, the same for everybody: the server does not know the visitor's time zone. */
export function Day({ at, hasTime = false }: { at: Date; hasTime?: boolean }): JSX.Element {
  const iso = at.toISOString();
  return (
    <time datetime={iso}>
      {hasTime ? `${iso.slice(0, 16).replace("T", " ")} UTC` : iso.slice(0, 10)}
    </time>
  );
}
