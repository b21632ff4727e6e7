import { accountPage, createAuth, email, passkey, passwords } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import { sendMail } from "./mail.ts";

export const auth = createAuth({
  database: sqlite(new DatabaseSync(process.env.DATABASE ?? "app.db")),
  baseUrl: process.env.BASE_URL ?? "http://localhost:3000",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [passwords({ sendMail }), email({ sendMail }), passkey(), accountPage()],
});
await auth.migrate();
