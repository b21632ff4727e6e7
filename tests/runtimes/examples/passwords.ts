import {
  accountPage,
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
  verifyPassword,
} from "@framework/auth";

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
          email: { label: "E-mail", type: "email", required: true },
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

  async function passwordStatement(id: string, password: string) {
    return database.prepare(
      `INSERT INTO passwords (user_id, hash) VALUES (?1, ?2)
         ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash`,
    ).bind(id, await hashPassword(password));
  }

  async function signUp(email: string, password: string): Promise<string> {
    const id = crypto.randomUUID();
    await createUser({ id, email }, { alongside: [await passwordStatement(id, password)] });
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

  async function forgot(email: string): Promise<string> {
    const user = await database.prepare(
      "SELECT id, email FROM users WHERE email_identity = ?1 AND disabled_at IS NULL",
    ).bind(parseEmailAddress(email)?.identity ?? "").first<{ id: string; email: string }>();
    if (user !== null) {
      const token = await issueOneTimeToken("reset", user.id, { sentTo: user.email, maxAge: 900 });
      const url = ownUrl("/reset", { token });
      await sendMail(user.email, `Your old password ends when you set a new one: ${url}`);
    }
    return "If this address has an account, a mail is on its way."; // the same for everybody
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
    const redeemed = await redeemOneTimeToken("reset", token);
    if (redeemed === null) return "This link does not hold any more.";
    await (await passwordStatement(redeemed.userId, password)).run();
    await passwordChanged(redeemed.userId);
    return "Your new password is set. Sign in with it.";
  }

  async function route(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const token = searchParams.get("token") ?? "";
    if (request.method === "GET" && pathname === "/reset") {
      return new Response(await askReset(token));
    }
    if (request.method !== "POST") return new Response("Not found", { status: 404 });
    auth.assertSameOrigin(request, undefined); // no other site signs people up
    const form = await request.formData();
    const text = (name: string) => String(form.get(name) ?? "");
    const actions: Record<string, () => Promise<string>> = {
      "/signup": () => signUp(text("email"), text("password")),
      "/confirm": () => confirm(text("token")),
      "/forgot": () => forgot(text("email")),
      "/reset": () => reset(text("token"), text("password")),
    };
    const action = actions[pathname];
    return action ? new Response(await action()) : new Response("Not found", { status: 404 });
  }

  // `clientAddress` as the platform says it, see "Use it from": limits are counted by it.
  return async (request: Request, info: { clientAddress?: string }): Promise<Response> =>
    await auth.handle(request, undefined, info) ??
      await auth.run(request, undefined, info, () => route(request));
}
