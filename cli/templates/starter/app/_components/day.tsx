import type { JSX } from "hono/jsx/jsx-runtime";

/** The time of a row, in milliseconds; PostgreSQL gives large numbers as text. */
type Time = number | string;

/** A day, the same for everybody: the server does not know the visitor's time zone. */
export function Day({ at, hasTime = false }: { at: Time; hasTime?: boolean }): JSX.Element {
  const iso = new Date(Number(at)).toISOString();
  return (
    <time datetime={iso}>
      {hasTime ? `${iso.slice(0, 16).replace("T", " ")} UTC` : iso.slice(0, 10)}
    </time>
  );
}
