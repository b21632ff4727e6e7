// The application of which make.ts makes a bundle with a release of the library: whoever has signed up by mail or says a
// name. It uses no more than what every release has.
import { createAuth, credentials, email, getUser, type SqlDatabase } from "@framework/auth";

export { authSchema } from "@framework/auth/storage";
export { createPostgresDatabase, postgresSchema } from "@framework/auth/storage-postgres";
export { createSqliteDatabase } from "@framework/auth/storage-sqlite";

/** Bindings of the application. */
export interface Env {
  /** Database of the library. */
  DB: SqlDatabase;
  /** Secret of the library. */
  AUTH_SECRET: string;
}

/** Token of the newest mail, by address. */
const tokens = new Map<string, string>();

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  session: { strategy: "database" },
  secret: env.AUTH_SECRET,
  rateLimit: false,
  providers: [
    credentials({
      credentials: { name: { label: "Name", type: "text", required: true } },
      authorize: ({ name }) => Promise.resolve({ id: String(name) }),
    }),
    email({
      from: "App <hello@app.example>",
      sendVerificationRequest: ({ identifier, token }) =>
        Promise.resolve(void tokens.set(identifier, token)),
    }),
  ],
}));

/** The application; `GET /mail?to=` gives the token that was mailed, everything else the user. */
export const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/mail") return new Response(tokens.get(searchParams.get("to") ?? "") ?? null);
    return await auth.handle(request, env) ??
      await auth.run(request, env, undefined, () => Response.json(getUser()));
  },
};
