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
  async fetch(
    request: Request,
    env: Env,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const info = {
      clientAddress: request.headers.get("cf-connecting-ip") ?? "unknown",
      waitUntil: (work: Promise<unknown>) => context.waitUntil(work),
    };
    return await auth.handle(request, env, info) ??
      await auth.run(request, env, info, () => {
        return new Response(`Hello ${getUser()?.name ?? "stranger"}`);
      });
  },
};
