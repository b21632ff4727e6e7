import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
  requireAuth,
} from "@framework/auth";
import { Hono } from "hono";

/** What Deno says about a connection. On workers the address is known, on Node `getConnInfo(c)` has it. */
type Bindings = { remoteAddr?: { hostname?: string } };

const auth = createAuth({
  database: createMemoryStorage(),
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});

const app = new Hono<{ Bindings: Bindings }>();

app.use(async (c, next) => {
  const info = { clientAddress: c.env.remoteAddr?.hostname };
  let response: Response;
  try {
    response = await auth.handle(c.req.raw, c.env, info) ??
      await auth.run(c.req.raw, c.env, info, async () => {
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
