import { building } from "$app/env";
import { accountPage, createAuth, email, passkey, passwords } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { svelteKitAuth } from "@framework/auth/sveltekit";
import { error, redirect } from "@sveltejs/kit";
import { DatabaseSync } from "node:sqlite";
import { sendMail } from "./mail.ts";

export const auth = createAuth({
  database: sqlite(new DatabaseSync(process.env.DATABASE ?? "app.db")),
  baseUrl: process.env.BASE_URL ?? "http://localhost:5173",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [passwords({ sendMail }), email({ sendMail }), passkey(), accountPage()],
});

export const accounts = svelteKitAuth(auth, { building, error, redirect });
