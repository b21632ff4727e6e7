import { accountPage, createAuth, email, passkey, passwords } from "@framework/auth";
import { reactRouterAuth } from "@framework/auth/react-router";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import { sendMail } from "./mail.server.ts";

export const auth = createAuth({
  database: sqlite(new DatabaseSync(process.env.DATABASE ?? "app.db")),
  baseUrl: process.env.BASE_URL ?? "http://localhost:5173",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [passwords({ sendMail }), email({ sendMail }), passkey(), accountPage()],
});

await auth.migrate();
export const accounts = reactRouterAuth(auth);
