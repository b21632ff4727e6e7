import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "../../_components/notice.tsx";

/** For whoever is no member of the team. */
export default function NoMemberPage(): JSX.Element {
  return (
    <Notice
      title="For members of this team"
      text="Ask one of its owners to add you, or sign in as a member."
      href="/dashboard"
      link="Go to your teams"
    />
  );
}
