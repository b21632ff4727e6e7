import {
  listAccounts,
  listPasskeys,
  listProviders,
  listSessions,
  removePasskey,
  requireAuth,
  requireRecentAuth,
  revokeSession,
  unlinkAccount,
} from "@framework/auth";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type PageProps,
  redirect,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { browserName } from "../_components/browser_name.ts";
import { PasskeyForm } from "../_components/passkey_form.tsx";
import { PostButton } from "../_components/post_button.tsx";
import { siteName } from "../_components/site.ts";
import { codeOf } from "../_server/code_of.ts";
import { readForm } from "../_server/read_form.ts";
import { Day } from "../_components/day.tsx";
import type { AppUser } from "../auth/callbacks.ts";

export const metadata = { title: `Account · ${siteName}` };

interface Activity {
  type: string;
  provider: string | null;
  at: number;
}

/** Everything that opens this account. */
export async function loader({ context }: LoaderArgs<Env>) {
  const { id } = requireAuth();
  const [sessions, passkeys, accounts, activity, isFresh] = await Promise.all([
    listSessions(id),
    listPasskeys(),
    listAccounts(),
    context.db.selectFrom("activity").select(["type", "provider", "at"])
      .where("user_id", "=", id).orderBy("at", "desc").limit(8).execute() as Promise<Activity[]>,
    context.auth.requireRecentAuth({ throwError: true }).then(() => true, () => false),
  ]);
  const elsewhere = listProviders().filter(({ type }) => type === "oauth" || type === "oidc");
  return { sessions, passkeys, accounts, activity, isFresh, elsewhere };
}

/** Ends a session, or takes away a way to sign in, for which the user proves once more who asks. */
export async function action({ request }: ActionArgs<Env>) {
  const { intent, provider, id } = await readForm(request, ["intent", "provider", "id"]);
  if (intent === "end-session") {
    await revokeSession(id);
    return redirect("/account");
  }
  requireRecentAuth();
  try {
    if (intent === "remove-passkey") await removePasskey(id);
    if (intent === "unlink") await unlinkAccount(provider, id);
  } catch (error) {
    if (codeOf(error) !== "LAST_WAY_IN") throw error;
    const problem = "This is your only way to sign in. Add another one first.";
    return data({ problem }, { status: 409 });
  }
  return redirect("/account");
}

/** Account page: what visitors can see and change about their own account. */
export default function AccountPage(
  { data, actionData }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  const { sessions, passkeys, accounts, activity, isFresh, elsewhere } = data;
  const { name, displayName, email } = requireAuth<AppUser>();
  return (
    <>
      <h1>Your account</h1>
      <p class="lead">
        {name ? `${name} · ${email ?? "no address"}` : displayName}
      </p>
      {actionData?.problem && <p class="alert" role="alert">{actionData.problem}</p>}
      <section aria-labelledby="sessions">
        <h2 id="sessions">Where you are signed in</h2>
        <ul class="list">
          {sessions.map(({ id, current, userAgent, createdAt }) => (
            <li key={id}>
              <span>
                {browserName(userAgent)}
                <small>
                  since <Day at={createdAt} />
                  {current && " · this browser"}
                </small>
              </span>
              <PostButton
                label={current ? "Sign out" : "End"}
                describe={current
                  ? "Sign out here"
                  : `End the session since ${createdAt.toISOString()}`}
                fields={{ intent: "end-session", id }}
              />
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="passkeys">
        <h2 id="passkeys">Passkeys</h2>
        <ul class="list">
          {passkeys.map(({ id, name, lastUsedAt }) => (
            <li key={id}>
              <span>
                {name ?? "Passkey"}
                <small>
                  {lastUsedAt
                    ? (
                      <>
                        last used <Day at={lastUsedAt} />
                      </>
                    )
                    : "never used"}
                </small>
              </span>
              <PostButton
                label="Remove"
                describe={`Remove the passkey ${name ?? ""}`}
                fields={{ intent: "remove-passkey", id }}
              />
            </li>
          ))}
        </ul>
        {isFresh && <PasskeyForm kind="register" callbackUrl="/account" />}
      </section>
      <section aria-labelledby="accounts">
        <h2 id="accounts">Connected accounts</h2>
        <ul class="list">
          {accounts.map(({ provider, providerAccountId: id, createdAt }) => (
            <li key={id}>
              <span>
                {elsewhere.find((known) => known.id === provider)?.name ?? provider}
                <small>
                  {id}, since <Day at={createdAt} />
                </small>
              </span>
              <PostButton
                label="Disconnect"
                describe={`Disconnect ${provider} ${id}`}
                fields={{ intent: "unlink", provider, id }}
              />
            </li>
          ))}
        </ul>
        {isFresh && elsewhere.map(({ id, name }) => (
          <PostButton
            key={id}
            label={`Connect ${name}`}
            action={`/auth/signin/${id}`}
            fields={{ intent: "link", callbackUrl: "/account" }}
            class="button outline small"
          />
        ))}
      </section>
      {!isFresh && (
        <p>
          <a
            class="button outline"
            href="/signin?error=REAUTHENTICATION_REQUIRED&callbackUrl=/account"
          >
            Sign in once more to add a way to sign in
          </a>
        </p>
      )}
      <section aria-labelledby="password">
        <h2 id="password">Password</h2>
        <p>
          <a class="button outline" href="/account/password">Change your password</a>
        </p>
      </section>
      <section aria-labelledby="activity">
        <h2 id="activity">Recent activity</h2>
        <ul class="plain">
          {activity.map(({ type, provider, at }) => (
            <li key={at}>
              <Day at={new Date(at)} hasTime /> {type.replaceAll("-", " ")}
              {provider && ` (${provider})`}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
