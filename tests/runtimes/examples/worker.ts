import { createAuth, credentials, defaultTheme, getUser, type SqlDatabase } from "@framework/auth";

interface Env {
  DB: SqlDatabase; // a D1 binding
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
}));

export default {
  fetch(request: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }) {
    const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
    const next = () => new Response(`Hello ${getUser()?.name ?? "stranger"}`);
    return auth.fetch(request, env, { waitUntil, next });
  },
};
