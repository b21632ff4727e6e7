import { createAuth, getUser, github, type SqlDatabase } from "@framework/auth";

interface Env {
  DB: SqlDatabase;
  GITHUB_ID: string;
  GITHUB_SECRET: string;
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  providers: [github({ clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET })],
}));

/** An application that nobody can guess their way into, for the budget of its size. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return await auth.handle(request, env) ??
      await auth.run(request, env, undefined, () => Response.json(getUser()));
  },
};

export default worker;
