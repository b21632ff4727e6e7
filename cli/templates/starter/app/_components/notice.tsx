import type { JSX } from "hono/jsx/jsx-runtime";

/** Properties of {@link Notice}. */
export interface NoticeProps {
  title: string;
  text: string;
  /** Target of the link. */
  href?: string;
  link?: string;
}

/** A page that says one thing, such as that there is nothing here. */
export function Notice(
  { title, text, href = "/", link = "Go to the start page" }: NoticeProps,
): JSX.Element {
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">{title}</h1>
      <p>{text}</p>
      <p>
        <a class="button" href={href}>{link}</a>
      </p>
    </section>
  );
}
