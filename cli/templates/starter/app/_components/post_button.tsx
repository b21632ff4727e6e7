import type { JSX } from "hono/jsx/jsx-runtime";

/** Properties of {@link PostButton}. */
export interface PostButtonProps {
  label: string;
  /** Accessible name, for people who do not see the button's place, such as "Join Acme". */
  describe: string;
  /** Fields that the form sends along. */
  fields: Record<string, string>;
}

/** A form that is one button: what changes something is never a link. */
export function PostButton({ label, describe, fields }: PostButtonProps): JSX.Element {
  return (
    <form method="post">
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="small" aria-label={describe}>{label}</button>
    </form>
  );
}
