import {
  accountPage,
  checkPassword,
  createAuth,
  createUser,
  credentials,
  defaultTheme,
  hashPassword,
  issueOneTimeToken,
  ownUrl,
  parseEmailAddress,
  passwordChanged,
  readOneTimeToken,
  redeemOneTimeToken,
  type SqlDatabase,
  startSession,
  transaction,
  verifyPassword,
} from "@framework/auth";
import {
  createPasswordResetRateLimiter,
  createSqlRateLimitStorage,
} from "@framework/auth/rate-limit";

interface Place {
  database: SqlDatabase; // with a table passwords (user_id TEXT PRIMARY KEY, hash TEXT)
  baseUrl: string;
  sendMail(to: string, text: string): Promise<void>;
}

export function createApp({ database, baseUrl, sendMail }: Place) {
  const auth = createAuth({
    database,
    baseUrl,
    cookies: { sessionToken: { hostOnly: true } },
    pages: { theme: defaultTheme, forgotPassword: "/forgot" },
    providers: [
      credentials({
        credentials: {
          email: { label: "Email", type: "email", required: true },
          password: { label: "Password", type: "password", required: true },
        },
        async authorize({ email, password }) {
          const row = await database.prepare(
            `SELECT users.id, passwords.hash
               FROM users JOIN passwords ON passwords.user_id = users.id
              WHERE users.email_identity = ?1`,
          ).bind(parseEmailAddress(email!)?.identity ?? "").first<{ id: string; hash: string }>();
          const right = await verifyPassword(password!, row?.hash ?? null);
          return right && row ? { id: row.id } : null;
        },
      }),
      // /auth/account: "Confirm this address", and everything else that users look after.
      accountPage({
        sendEmailChange: ({ to, url }) => sendMail(to, `Confirm your address: ${url}`),
      }),
    ],
  });

  // Three mails an hour to one mailbox, and 60 from one client.
  const limiter = createPasswordResetRateLimiter(createSqlRateLimitStorage(database));

  function passwordStatement(id: string, hash: string) {
    return database.prepare(
      `INSERT INTO passwords (user_id, hash) VALUES (?1, ?2)
         ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash`,
    ).bind(id, hash);
  }

  async function signUp(email: string, password: string): Promise<string> {
    const weak = await checkPassword(password);
    if (weak !== null) return again("/signup", weak.message);
    const id = crypto.randomUUID();
    const stored = passwordStatement(id, await hashPassword(password));
    await createUser({ id, email }, { within: transaction([stored]) });
    await startSession(id);
    // The session that has just begun asks for it: where it opens the link, the password stays.
    const token = await issueOneTimeToken("confirm", id, { sentTo: email, keepFor: "current" });
    await sendMail(email, `Confirm your address: ${ownUrl("/confirm", { token })}`);
    return "Look into your mail.";
  }

  async function confirm(token: string): Promise<string> {
    const redeemed = await redeemOneTimeToken("confirm", token);
    if (redeemed === null) return "This link does not hold any more.";
    return redeemed.ended
      ? "Your address is confirmed. The old password has ended: set a new one at /forgot."
      : "Your address is confirmed.";
  }

  async function forgot(request: Request, email: string): Promise<string> {
    const { success } = await limiter.check(request, { identifier: email });
    const user = success ? await find(email) : null;
    if (user !== null) {
      const token = await issueOneTimeToken("reset", user.id, { sentTo: user.email });
      const url = ownUrl("/reset", { token });
      await sendMail(user.email, `Your old password ends when you set a new one: ${url}`);
    }
    return "If this address has an account, a mail is on its way."; // the same for everybody
  }

  function find(email: string): Promise<{ id: string; email: string } | null> {
    return database.prepare(
      "SELECT id, email FROM users WHERE email_identity = ?1 AND disabled_at IS NULL",
    ).bind(parseEmailAddress(email)?.identity ?? "").first();
  }

  async function askReset(token: string): Promise<string> {
    const read = await readOneTimeToken("reset", token);
    if (read === null) return "This link does not hold any more.";
    const { ends } = read; // what is on an account whose address nobody has confirmed yet
    return ends === null
      ? "Set a new password."
      : `Set a new password. Everything on the account ends: ${ends.passkeys} passkeys, connected: ${ends.accounts}`;
  }

  async function reset(token: string, password: string): Promise<string> {
    const weak = await checkPassword(password);
    if (weak !== null) return again("/reset", weak.message, token);
    const hash = await hashPassword(password); // before the token is taken: it may be refused
    const redeemed = await redeemOneTimeToken("reset", token);
    if (redeemed === null) return "This link does not hold any more.";
    await passwordStatement(redeemed.userId, hash).run();
    await passwordChanged(redeemed.userId);
    return "Your new password is set. Sign in with it.";
  }

  async function route(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (!(pathname in forms)) return new Response("Not found", { status: 404 });
    if (request.method !== "POST") {
      const token = searchParams.get("token") ?? "";
      return html(again(pathname, pathname === "/reset" ? await askReset(token) : "", token));
    }
    auth.assertSameOrigin(request, undefined); // no other site signs people up
    const form = await request.formData();
    const text = (name: string) => String(form.get(name) ?? "");
    if (pathname === "/signup") return html(await signUp(text("email"), text("password")));
    if (pathname === "/confirm") return html(await confirm(text("token")));
    if (pathname === "/forgot") return html(await forgot(request, text("email")));
    return html(await reset(text("token"), text("password")));
  }

  // `clientAddress` as the platform says it, see "Use it from": limits are counted by it.
  return async (request: Request, info: { clientAddress?: string }): Promise<Response> =>
    await auth.handle(request, undefined, info) ??
      await auth.run(request, undefined, info, () => route(request));
}

const email = '<label>Email <input name="email" type="email" required></label>';
const password = '<label>New password <input name="password" type="password" required></label>';
const forms: Record<string, string> = {
  "/signup": `${email} ${password} <button>Create account</button>`,
  "/confirm": "<button>Confirm my address</button>", // by a button: mail programs open links
  "/forgot": `${email} <button>Send me a link</button>`,
  "/reset": `${password} <button>Set password</button>`,
};

/** A form, with what is to be said above it. Tokens have no letter that would have to be escaped. */
function again(path: string, said: string, token = ""): string {
  const hidden = `<input type="hidden" name="token" value="${encodeURIComponent(token)}">`;
  return `<p>${said}</p><form method="post" action="${path}">${hidden}${forms[path]}</form>`;
}

function html(body: string): Response {
  // The address of the page holds the token: no other site is to be told it.
  const headers = { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" };
  return new Response(`<!DOCTYPE html><html lang="en"><title>Account</title>${body}</html>`, {
    headers,
  });
}
