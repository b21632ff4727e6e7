import { accountPage, createAuth, email, passkey, passwords } from "@framework/auth";
import { astroAuth } from "@framework/auth/astro";
import { sqlite } from "@framework/auth/sqlite";
import { ActionError } from "astro:actions";
import { DatabaseSync } from "node:sqlite";
import { sendMail } from "./mail.ts";

export const auth = createAuth({
  database: sqlite(new DatabaseSync(process.env.DATABASE ?? "app.db")),
  baseUrl: process.env.BASE_URL ?? "http://localhost:4321",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [passwords({ sendMail }), email({ sendMail }), passkey(), accountPage()],
});

export const accounts = astroAuth(auth, { ActionError });
