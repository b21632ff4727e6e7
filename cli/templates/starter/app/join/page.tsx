import { getUser, readOneTimeToken, redeemOneTimeToken } from "@framework/auth";
import { addMember, createSqlTenantStorage, type Tenant } from "@framework/auth/tenant";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type PageProps,
  redirect,
  type RequestContext,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { EndingNotice } from "../_components/ending_notice.tsx";
import { one, siteName } from "../_components/site.ts";
import { readForm } from "../_server/read_form.ts";

export const metadata = { title: `Join a team · ${siteName}` };
/** The token in the address goes to nobody else. */
export const headers = { "referrer-policy": "same-origin" };

/** The team that somebody was invited to; null when it is gone, or the invitation does not hold. */
async function teamOf(
  { env }: RequestContext<Env>,
  invitation: { payload: string | null } | null,
): Promise<Tenant | null> {
  if (invitation?.payload == null) return null;
  const team = await createSqlTenantStorage(env.DB).get(invitation.payload);
  return team?.suspendedAt ? null : team;
}

/** Loads the team, and what ends if nobody has confirmed the account's address before. */
export async function loader({ request, context }: LoaderArgs<Env>) {
  const token = new URL(request.url).searchParams.get("token");
  const invitation = await readOneTimeToken("join-team", token);
  const team = await teamOf(context, invitation);
  return { team: team?.name ?? null, ends: invitation?.ends ?? null };
}

/**
 * Makes who was invited a member. The link proves their address and no more, so whoever has opened it signs in
 * like everybody else.
 */
export async function action({ request, context }: ActionArgs<Env>) {
  const { token } = await readForm(request, ["token"]);
  const invitation = await redeemOneTimeToken("join-team", token);
  const team = await teamOf(context, invitation);
  if (invitation === null || team === null) return data({}, { status: 422 });
  const { userId } = invitation;
  await addMember(userId, { tenantId: team.id, roles: ["member"] });
  const path = `/t/${team.slug}`;
  return redirect(getUser()?.id === userId ? path : `/signin?done=joined&callbackUrl=${path}`);
}

/** Asks whether to join: opening a link alone changes nothing. */
export default function JoinPage(
  { data: { team, ends }, searchParams }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  if (team === null) {
    return (
      <section class="panel" aria-labelledby="title">
        <h1 id="title">Join a team</h1>
        <p class="alert" role="alert">This invitation does not hold any more.</p>
      </section>
    );
  }
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Join {team}</h1>
      <p>The members of the team see your name and your address.</p>
      {ends && <EndingNotice ends={ends} />}
      <form method="post" action="/join">
        <input type="hidden" name="token" value={one(searchParams.token)} />
        <button type="submit" class="button wide">Join the team</button>
      </form>
    </section>
  );
}
