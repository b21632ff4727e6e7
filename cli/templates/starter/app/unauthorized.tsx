import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

/** Stands in place of a page whose visitor is not signed in. */
export default function UnauthorizedPage(): JSX.Element {
  return (
    <Notice title="Who are you?" text="Sign in to see this." href="/auth/signin" link="Sign in" />
  );
}
