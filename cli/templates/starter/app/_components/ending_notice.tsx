import type { LeftBehind } from "@framework/auth";
import type { JSX } from "hono/jsx/jsx-runtime";

/** Says what ends when somebody confirms the address of an account for the first time. */
export function EndingNotice({ ends }: { ends: LeftBehind }): JSX.Element {
  return (
    <p class="alert">
      Nobody has confirmed this address before. What was set up on the account ends: its old
      password, passkeys ({ends.passkeys}), connected accounts ({ends.accounts.length}), teams.
    </p>
  );
}
