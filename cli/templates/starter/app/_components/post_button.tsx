import type { JSX } from "hono/jsx/jsx-runtime";

/** Properties of {@link PostButton}. */
export interface PostButtonProps {
  label: string;
  /**
   * Accessible name, for people who do not see the button's place, such as "End the session of
   * Firefox".
   */
  describe?: string;
  /** Fields that the form sends along. */
  fields: Record<string, string>;
  /** Action of the form. Default: the page itself. */
  action?: string;
  class?: string;
}

/** A form that is one button: what changes something is never a link. */
export function PostButton(
  { label, describe, fields, action, class: look = "quiet" }: PostButtonProps,
): JSX.Element {
  return (
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={look} aria-label={describe}>{label}</button>
    </form>
  );
}
