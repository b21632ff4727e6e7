import { createAuth } from "@framework/auth";
import { upgradeTables } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

const file = new DatabaseSync(process.env.DATABASE_FILE ?? "app.db");
const database = sqlite(file);
await upgradeTables(database); // makes the tables, or brings them up to date

export const auth = createAuth({
  database,
  baseUrl: process.env.BASE_URL ?? "http://localhost:8000",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [], // the ways to sign in
});
