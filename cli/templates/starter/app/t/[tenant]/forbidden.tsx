import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "../../_components/notice.tsx";

/** For users who are signed in and no members of the team. */
export default function NoMemberPage(): JSX.Element {
  return (
    <Notice
      title="For members of this team"
      text="Ask one of its owners to invite you."
      href="/dashboard"
      link="Go to your teams"
    />
  );
}
