// The product of the quick start in auth/README.md with Better Auth 1.7.25 and @better-auth/passkey 1.7.6, whose pages
// are the application's: run on Node 26, walked through from sign-up to a new password.
import { passkey } from "@better-auth/passkey";
import { serve } from "@hono/node-server";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { Hono } from "hono";
import { html } from "hono/html";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

const port = Number(process.env.PORT ?? 8000);
const mail = (subject: string) => async ({ user, url }: { user: { email: string }; url: string }) =>
  console.log(`To: ${user.email}\n${subject}: ${url}`);

const auth = betterAuth({
  baseURL: `http://localhost:${port}`,
  secret: process.env.BETTER_AUTH_SECRET,
  database: new DatabaseSync("app.db"),
  emailAndPassword: {
    enabled: true,
    requireEmailVerification: true,
    minPasswordLength: 15,
    sendResetPassword: mail("Choose a new password"),
    revokeSessionsOnPasswordReset: true,
  },
  emailVerification: {
    sendVerificationEmail: mail("Confirm your address"),
    sendOnSignUp: true,
    autoSignInAfterVerification: true,
  },
  plugins: [passkey()],
});
await (await getMigrations(auth.options)).runMigrations();

const app = new Hono();
app.on(["GET", "POST"], "/api/auth/*", (c) => auth.handler(c.req.raw));

// Its endpoints take JSON: each page sends its form by a script.
const page = (title: string, path: string, fields: unknown, next: string) =>
  html`
    <!DOCTYPE html>
    <html lang="en">
      <title>${title}</title>
      <h1>${title}</h1>
      <form id="form">${fields}<button>${title}</button><p role="alert"></p></form>
      <script type="module">
    form.onsubmit = async (event) => {
      event.preventDefault();
      const body = JSON.stringify(Object.fromEntries(new FormData(form)));
      const headers = { "content-type": "application/json" };
      const response = await fetch("/api/auth${path}", { method: "POST", headers, body });
      if (response.ok) location.href = "${next}";
      else form.querySelector("[role=alert]").textContent = (await response.json()).message;
    };
    </script>
    </html>
  `;
const email =
  html`<label>Email <input name="email" type="email" autocomplete="username" required></label>`;
const password = (name: string, kind: string) =>
  html`<label>Password <input name="${name}" type="password" autocomplete="${kind}" required></label>`;
const name = html`<label>Name <input name="name" autocomplete="name" required></label>`;
const links = html`<a href="/sign-up">Create an account</a> <a href="/forgot">Forgot password?</a>`;

app.get(
  "/sign-up",
  (c) =>
    c.html(
      page(
        "Sign up",
        "/sign-up/email",
        html`${name}${email}${password("password", "new-password")}`,
        "/sent",
      ),
    ),
);
app.get("/sent", (c) => c.html(html`<p>Check your mail.</p>`));
app.get(
  "/sign-in",
  (c) =>
    c.html(
      html`${
        page(
          "Sign in",
          "/sign-in/email",
          html`${email}${password("password", "current-password")}`,
          "/dashboard",
        )
      }
<script type="module">
import { createAuthClient } from "https://esm.sh/better-auth@1.7.25/client";
import { passkeyClient } from "https://esm.sh/@better-auth/passkey@1.7.6/client";
const client = createAuthClient({ plugins: [passkeyClient()] });
passkey.onclick = async () => (await client.signIn.passkey()).error || (location.href = "/dashboard");
</script><button id="passkey">Sign in with a passkey</button> ${links}`,
    ),
);
app.get(
  "/forgot",
  (c) =>
    c.html(
      page(
        "Send a link",
        "/request-password-reset",
        html`${email}<input type="hidden" name="redirectTo" value="/reset">`,
        "/sent",
      ),
    ),
);
app.get(
  "/reset",
  (c) =>
    c.html(
      page(
        "Set password",
        "/reset-password",
        html`${password("newPassword", "new-password")}<input type="hidden" name="token" value="${
          c.req.query("token")
        }">`,
        "/sign-in",
      ),
    ),
);

const session = (c: { req: { raw: Request } }) =>
  auth.api.getSession({ headers: c.req.raw.headers });
app.get("/account", async (c) => {
  const found = await session(c);
  if (!found) return c.redirect("/sign-in");
  const own = { headers: c.req.raw.headers };
  const [sessions, passkeys] = await Promise.all([
    auth.api.listSessions(own),
    auth.api.listPasskeys(own),
  ]);
  return c.html(html`${page("Change name", "/update-user", name, "/account")}
${
    page(
      "Change password",
      "/change-password",
      html`${password("currentPassword", "current-password")}${
        password("newPassword", "new-password")
      }`,
      "/account",
    )
  }
<ul>${
    sessions.map((one) => html`<li>${one.userAgent} since ${one.createdAt.toISOString()}</li>`)
  }</ul>
<ul>${passkeys.map((one) => html`<li>${one.name}</li>`)}</ul>
${page("Sign out", "/sign-out", "", "/sign-in")}`);
});
app.get("/dashboard", async (c) => {
  const found = await session(c);
  return found ? c.text(`Hello ${found.user.name}`) : c.redirect("/sign-in");
});

serve(
  { fetch: app.fetch, port, hostname: "localhost" },
  () => console.log(`http://localhost:${port}`),
);
