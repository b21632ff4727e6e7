// Better Auth on D1 in a Hono worker, as its documentation has it: one instance at module level.
import { betterAuth } from "better-auth";
import { magicLink } from "better-auth/plugins/magic-link";
import { env } from "cloudflare:workers";
import { Hono } from "hono";

async function sendMail(kind: string, to: string, url: string): Promise<void> {
  const response = await fetch("https://mailer.example/send", {
    method: "POST",
    body: JSON.stringify({ kind, to, url }),
  });
  if (!response.ok) throw new Error(`The mailer answered ${response.status}`);
}

export const auth = betterAuth({
  database: env.DB,
  secret: env.BETTER_AUTH_SECRET,
  baseURL: "http://localhost",
  emailAndPassword: {
    enabled: true,
    requireEmailVerification: true,
    revokeSessionsOnPasswordReset: true,
    sendResetPassword: ({ user, url }) => sendMail("reset", user.email, url),
  },
  emailVerification: {
    sendOnSignUp: true,
    autoSignInAfterVerification: true,
    sendVerificationEmail: ({ user, url }) => sendMail("verification", user.email, url),
  },
  plugins: [magicLink({ sendMagicLink: ({ email, url }) => sendMail("link", email, url) })],
});

const app = new Hono();
app.on(["GET", "POST"], "/api/auth/*", (c) => auth.handler(c.req.raw));
app.get("/me", async (c) => {
  const session = await auth.api.getSession({ headers: c.req.raw.headers });
  return session === null ? c.json({ error: "Sign in" }, 401) : c.json(session.user);
});
export default app;
