import { createAuth, credentials, getUser, github, type SqlDatabase } from "@framework/auth";

interface Env {
  DB: SqlDatabase;
  AUTH_SECRET: string;
  GITHUB_ID: string;
  GITHUB_SECRET: string;
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  session: { strategy: "database" },
  secret: env.AUTH_SECRET,
  providers: [
    credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
    }),
    github({ clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET }),
  ],
}));

/** The least that an application with a sign-in of its own and one provider needs, for the budget of its size. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return await auth.handle(request, env) ??
      await auth.run(request, env, undefined, () => Response.json(getUser()));
  },
};

export default worker;
