import { ownUrl, verifiedEmail } from "@framework/auth";
import type { RequestContext } from "@framework/cli/runtime";
import type { Env } from "../../env.ts";
import { siteName } from "../_components/site.ts";
import { sendMail } from "./send_mail.ts";

/** Tells an account's owner of its new password: whoever did not ask for it hears of it this way. */
export async function sendPasswordNotice(
  { env, db }: RequestContext<Env>,
  userId: string,
): Promise<void> {
  const user = await db.selectFrom("users").select(["email", "email_verified"])
    .where("id", "=", userId).executeTakeFirst();
  const to = user && verifiedEmail({
    email: user.email,
    emailVerified: user.email_verified === null ? null : new Date(user.email_verified),
  });
  // An address that nobody has confirmed may be anybody's.
  if (!to) return;
  await sendMail(env, {
    from: `${siteName} <hello@example.com>`,
    to,
    subject: "Your password was changed",
    text: `Your account has a new password, and every other device is signed out.\n\n` +
      `Was it not you? Set another one:\n${ownUrl("/reset")}`,
  });
}
