import { accountPage, createAuth, email, passkey, passwords } from "@framework/auth";
import { nextAuth } from "@framework/auth/next";
import { sqlite } from "@framework/auth/sqlite";
import { cookies, headers } from "next/headers";
import { forbidden, redirect, unauthorized } from "next/navigation";
import { after } from "next/server";
import { DatabaseSync } from "node:sqlite";
import { sendMail } from "./mail";

export const auth = createAuth({
  database: sqlite(new DatabaseSync(process.env.DATABASE ?? "app.db")),
  baseUrl: process.env.BASE_URL ?? "http://localhost:3000",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [passwords({ sendMail }), email({ sendMail }), passkey(), accountPage()],
});

const next = { after, cookies, forbidden, headers, redirect, unauthorized };
export const accounts = nextAuth(auth, next);
