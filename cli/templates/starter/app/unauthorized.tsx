import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

export const metadata = { title: "Who are you?" };

/** Stands in place of a page whose visitor is not signed in. */
export default function UnauthorizedPage(): JSX.Element {
  return (
    <Notice title={metadata.title} text="Sign in to see this." href="/auth/signin" link="Sign in" />
  );
}
