import type { TestContext } from "../context/types.ts";
import { beginAtCallers, TestingError } from "../errors.ts";

/** Invitation to a team, as the form of the team's page makes it. */
export interface TestInvitationOptions {
  /** Slug of the team. */
  team: string;
  /** Address to which the mail goes. */
  email: string;
  /** Role that the membership is to have. Default: none. */
  role?: string;
}

/** Invitation that was sent, and the link of its mail. */
export interface TestInvitation {
  /** Address behind the link. */
  readonly url: string;
  /**
   * Opens the link and presses the button, as whoever the context is. A visitor has an account and is signed in then; a
   * signed-in user of the invited address becomes a member, and signs in anew where the link was the first proof of it.
   *
   * @returns The application's response: a redirect into the team, or a page that leads to the sign-in; 403 for a user of
   * another address, and for a visitor whose address has an account; 400 when the invitation has ended.
   */
  accept(context: Pick<TestContext, "fetch">): Promise<Response>;
}

/**
 * Invites an address to a team, through the application's own endpoints, and takes the link out of the mail.
 *
 * @param inviter Context of a member who may invite.
 * @param options See {@linkcode TestInvitationOptions}.
 * @throws {TestingError} `INVITATION` when the application refuses, or sends no mail.
 *
 * @example
 * ```ts
 * import { createTestContext, createTestInvitation } from "@framework/testing";
 * import { rejects } from "node:assert/strict";
 *
 * async function joins(cwd: string): Promise<number> {
 *   await using ctx = await createTestContext({ cwd });
 *   const ada = await ctx.withAuth({ userId: "ada", tenant: { id: "acme-id", roles: ["owner"] } });
 *   const invitation = await createTestInvitation(ada, { team: "acme", email: "eve@example.com" });
 *   return (await invitation.accept(ctx)).status; // ctx is Eve now
 * }
 * await rejects(joins("/no/such/project"), { code: "PROJECT" }); // there is no application
 * ```
 */
export async function createTestInvitation(
  inviter: Pick<TestContext<unknown>, "fetch" | "outbox" | "settled">,
  { team, email, role }: TestInvitationOptions,
): Promise<TestInvitation> {
  const before = inviter.outbox.length;
  const response = await inviter.fetch("/auth/team/invite", {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams({ team, email, ...(role === undefined ? {} : { role }) }),
  });
  if (response.status >= 400) {
    throw new TestingError(
      "INVITATION",
      `The application refused /auth/team/invite with ${response.status}: ${await response
        .text()}. Inviting needs a member of the team who may (withAuth with tenant), and teamPage().`,
    );
  }
  // The mail is sent after the answer.
  await inviter.settled();
  const mail = inviter.outbox.slice(before).findLast(({ kind }) => kind === "invitation");
  if (mail === undefined) {
    throw new TestingError(
      "INVITATION",
      `The application sent no invitation to ${email}: the address has had as many mails as it may. Advance the clock, or ` +
        "invite another one.",
    );
  }
  const { url } = mail;
  return {
    url,
    async accept({ fetch }) {
      const page = await fetch(url);
      if (!page.ok) return page;
      const { origin, pathname, searchParams } = new URL(url);
      const body = new URLSearchParams({ token: searchParams.get("token") ?? "" });
      return await fetch(origin + pathname, { method: "POST", body });
    },
  };
}

beginAtCallers(createTestInvitation);
