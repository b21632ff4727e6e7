import { createAuth, defaultTheme, getUser, requireAuth, waitUntil } from "@framework/auth";
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

/** Connection of a request, as Deno and as Node pass it. */
interface Bindings {
  remoteAddr?: { hostname?: string };
  incoming?: { socket: { remoteAddress?: string } };
}

const app = new Hono<{ Bindings: Bindings }>();

app.use(async (c, next) => {
  const { remoteAddr, incoming } = c.env;
  const clientAddress = remoteAddr?.hostname ?? incoming?.socket.remoteAddress;
  const info = { clientAddress, waitUntil };
  let response: Response;
  try {
    response = await auth.handle(c.req.raw, {}, info) ??
      await auth.run(c.req.raw, {}, info, async () => {
        await next();
        return c.res;
      });
  } catch (error) {
    console.error(error); // nobody else does: some of Hono's servers answer it without a word
    response = c.text("Something went wrong", 500);
  }
  c.res = undefined; // else Hono puts headers of the old response over those of the new one
  c.res = response;
});

app.onError((error) => {
  throw error; // to auth.run(), which knows what requireAuth() means
});

app.get("/", (c) => c.text(`Hello ${getUser()?.name ?? "stranger"}`));
app.get("/account", (c) => c.json(requireAuth()));

export default app;
