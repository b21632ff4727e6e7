// The product of the quick start in auth/README.md with @auth/core 0.41.3, without passkeys: passwords, verification and
// reset are the application's. Run on Node 26, walked through from sign-up to a new password.
import { Auth, type AuthConfig } from "@auth/core";
import Credentials from "@auth/core/providers/credentials";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { html } from "hono/html";
import { createHash, randomBytes, randomUUID, scryptSync, timingSafeEqual } from "node:crypto";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

const port = Number(process.env.PORT ?? 8000);
const origin = `http://localhost:${port}`;
const db = new DatabaseSync("app.db");
db.exec(`
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE, hash TEXT, verified INTEGER);
CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, user_id TEXT, kind TEXT, expires INTEGER)`);

// Auth.js has no passwords of its own: hash, verification and reset are the application's.
function hashPassword(password: string, salt = randomBytes(16).toString("hex")): string {
  return `${salt}:${scryptSync(password, salt, 32).toString("hex")}`;
}
function verifyPassword(password: string, stored: string): boolean {
  const [salt] = stored.split(":");
  return timingSafeEqual(Buffer.from(hashPassword(password, salt)), Buffer.from(stored));
}
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
function sendToken(user: { id: string; email: string }, kind: "verify" | "reset"): void {
  const token = randomBytes(32).toString("base64url");
  db.prepare("INSERT INTO tokens VALUES (?, ?, ?, ?)").run(
    sha256(token),
    user.id,
    kind,
    Date.now() + 3_600_000,
  );
  console.log(`To: ${user.email}\n${kind}: ${origin}/${kind}?token=${token}`);
}
function takeToken(token: string, kind: string): string | undefined {
  const row = db.prepare(
    "DELETE FROM tokens WHERE hash = ? AND kind = ? AND expires > ? RETURNING user_id",
  )
    .get(sha256(token), kind, Date.now());
  return row?.user_id as string | undefined;
}

const config: AuthConfig = {
  secret: process.env.AUTH_SECRET,
  trustHost: true,
  basePath: "/auth",
  session: { strategy: "jwt" }, // its Credentials provider knows no database sessions
  providers: [Credentials({
    credentials: { email: { label: "Email" }, password: { label: "Password", type: "password" } },
    authorize({ email, password }) {
      const user = db.prepare("SELECT * FROM users WHERE email = ? AND verified = 1").get(
        String(email).toLowerCase(),
      );
      if (!user || !verifyPassword(String(password), user.hash as string)) return null;
      return { id: user.id as string, name: user.name as string, email: user.email as string };
    },
  })],
};
async function userOf(request: Request): Promise<{ name: string; email: string } | null> {
  const headers = { cookie: request.headers.get("cookie") ?? "" };
  const response = await Auth(new Request(`${origin}/auth/session`, { headers }), config);
  return (await response.json())?.user ?? null;
}

const app = new Hono();
app.use("/auth/*", (c) => Auth(c.req.raw, config));
app.use(async (c, next) => { // its own forms are guarded, these are not
  if (c.req.method === "POST" && c.req.header("origin") !== origin) return c.text("Refused", 403);
  await next();
});
const page = (title: string, fields: unknown) =>
  html`
    <!DOCTYPE html>
    <html lang="en">
      <title>${title}</title>
      <h1>${title}</h1>
      <form method="post">${fields}<button>${title}</button></form>
    </html>
  `;
const email =
  html`<label>Email <input name="email" type="email" autocomplete="username" required></label>`;
const password =
  html`<label>Password <input name="password" type="password" minlength="15" required></label>`;

app.get(
  "/sign-up",
  (c) => c.html(page("Sign up", html`<label>Name <input name="name"></label>${email}${password}`)),
);
app.post("/sign-up", async (c) => {
  const { name, email, password } = await c.req.parseBody() as Record<string, string>;
  if (password.length < 15) return c.text("At least 15 characters", 422);
  const user = { id: randomUUID(), email: email.toLowerCase() };
  const { changes } = db.prepare("INSERT INTO users VALUES (?, ?, ?, ?, 0) ON CONFLICT DO NOTHING")
    .run(user.id, name, user.email, hashPassword(password));
  if (changes) sendToken(user, "verify");
  return c.text("Check your mail");
});
app.get("/verify", (c) => c.html(page("Confirm your address", "")));
app.post("/verify", (c) => {
  const id = takeToken(c.req.query("token") ?? "", "verify");
  if (!id) return c.text("This link no longer works", 410);
  db.prepare("UPDATE users SET verified = 1 WHERE id = ?").run(id);
  return c.redirect("/auth/signin", 303);
});
app.get("/forgot", (c) => c.html(page("Send a link", email)));
app.post("/forgot", async (c) => {
  const { email } = await c.req.parseBody() as Record<string, string>;
  const user = db.prepare("SELECT id, email FROM users WHERE email = ?").get(email.toLowerCase());
  if (user) sendToken(user as { id: string; email: string }, "reset");
  return c.text("Check your mail");
});
app.get("/reset", (c) => c.html(page("Set password", password)));
app.post("/reset", async (c) => {
  const { password } = await c.req.parseBody() as Record<string, string>;
  if (password.length < 15) return c.text("At least 15 characters", 422);
  const id = takeToken(c.req.query("token") ?? "", "reset");
  if (!id) return c.text("This link no longer works", 410);
  db.prepare("UPDATE users SET hash = ?, verified = 1 WHERE id = ?").run(
    hashPassword(password),
    id,
  );
  return c.redirect("/auth/signin", 303);
});
app.get("/account", async (c) => {
  const user = await userOf(c.req.raw);
  if (!user) return c.redirect("/auth/signin");
  return c.html(html`${page("Change name", html`<input name="name" value="${user.name}">`)}
<p>${user.email} <a href="/forgot">New password</a> <a href="/auth/signout">Sign out</a></p>`);
});
app.post("/account", async (c) => {
  const user = await userOf(c.req.raw);
  if (!user) return c.redirect("/auth/signin", 303);
  const { name } = await c.req.parseBody() as Record<string, string>;
  db.prepare("UPDATE users SET name = ? WHERE email = ?").run(name, user.email);
  return c.redirect("/account", 303);
});
app.get("/dashboard", async (c) => {
  const user = await userOf(c.req.raw);
  return user ? c.text(`Hello ${user.name}`) : c.redirect("/auth/signin?callbackUrl=/dashboard");
});

serve({ fetch: app.fetch, port, hostname: "localhost" }, () => console.log(origin));
