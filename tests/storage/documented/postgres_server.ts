import { createAuth, defaultTheme, getUser, requireAuth } from "@framework/auth";
import { honoAuth } from "@framework/auth/hono";
import { postgres, upgradeTables } from "@framework/auth/postgres";
import { Hono } from "hono";
import process from "node:process";
import { Pool } from "pg";

const pool = new Pool({ connectionString: process.env.DATABASE_URL });
const database = postgres(pool);
await upgradeTables(database); // makes the tables, or brings them up to date

const auth = createAuth({
  database,
  baseUrl: process.env.BASE_URL ?? "http://localhost:8000",
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [], // the ways to sign in
});

const app = new Hono();
app.use(honoAuth(auth));
app.get("/", (c) => c.text(`Hello ${getUser()?.name ?? "stranger"}`));
app.get("/account", (c) => c.json(requireAuth()));

export default app;
