import { accountPage, createAuth, email, passkey, passwords } from "@framework/auth";
import type { SqlDatabase } from "@framework/auth";
import { sendMail } from "./mail.ts";

interface Env {
  DB: SqlDatabase; // a D1 binding
  BASE_URL: string;
}

export const auth = createAuth((env: Env) => ({
  database: env.DB,
  baseUrl: env.BASE_URL,
  cookies: { sessionToken: { hostOnly: true } },
  providers: [passwords({ sendMail }), email({ sendMail }), passkey(), accountPage()],
}));
