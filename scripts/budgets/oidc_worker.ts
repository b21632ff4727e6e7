import { createAuth, getUser, google, type SqlDatabase } from "@framework/auth";

interface Env {
  DB: SqlDatabase;
  GOOGLE_ID: string;
  GOOGLE_SECRET: string;
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  providers: [google({ clientId: env.GOOGLE_ID, clientSecret: env.GOOGLE_SECRET })],
}));

/** An application whose provider signs ID tokens, for the budget of what checks them. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return await auth.handle(request, env) ??
      await auth.run(request, env, undefined, () => Response.json(getUser()));
  },
};

export default worker;
