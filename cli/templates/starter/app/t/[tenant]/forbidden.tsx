import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "../../_components/notice.tsx";

export const metadata = { title: "For members of this team" };

/** For users who are signed in and no members of the team. */
export default function NoMemberPage(): JSX.Element {
  return (
    <Notice
      title={metadata.title}
      text="Ask one of its owners to invite you."
      href="/dashboard"
      link="Go to your teams"
    />
  );
}
