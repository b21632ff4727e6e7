import { createAuth, credentials, getUser, type SqlDatabase } from "@framework/auth";

const auth = createAuth<{ DB: SqlDatabase }>((env) => ({
  session: { strategy: "database" },
  database: env.DB,
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
  })],
}));

/** The least that an application needs, for the budget of its size. */
const worker: { fetch(request: Request, env: { DB: SqlDatabase }): Promise<Response> } = {
  async fetch(request, env) {
    return await auth.handle(request, env) ??
      await auth.run(request, env, undefined, () => Response.json(getUser()));
  },
};

export default worker;
