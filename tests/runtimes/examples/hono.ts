import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
  requireAuth,
} from "@framework/auth";
import { honoAuth } from "@framework/auth/hono";
import { Hono } from "hono";

const auth = createAuth({
  database: createMemoryStorage(),
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});

const app = new Hono();
app.use(honoAuth(auth)); // the first

app.get("/", (c) => c.text(`Hello ${getUser()?.name ?? "stranger"}`));
app.get("/account", (c) => c.json(requireAuth()));

export default app;
