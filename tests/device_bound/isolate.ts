// The worker that isolates_test.ts runs twice over one D1, and in two processes over one PostgreSQL server.
import {
  createAuth,
  credentials,
  deviceBound,
  deviceBoundJwt,
  getSession,
  getUser,
  jwtSessions,
} from "@framework/auth";
import { createSqlRevocationStore, type SqlDatabase } from "@framework/auth/storage";

interface Env {
  DB: SqlDatabase;
  AUTH_SECRET: string;
  STRATEGY: string;
}

const auth = createAuth<Env>(({ DB, AUTH_SECRET, STRATEGY }) => ({
  database: DB,
  baseUrl: "https://app.example",
  secret: AUTH_SECRET,
  session: STRATEGY === "jwt"
    ? {
      strategy: jwtSessions,
      revocation: createSqlRevocationStore(DB),
      deviceBound: deviceBoundJwt({ sendMail: () => {} }),
    }
    : { deviceBound: deviceBound({ sendMail: () => {} }) },
  providers: [credentials({
    credentials: { name: { label: "Name", type: "text", required: true } },
    authorize: ({ name }) => Promise.resolve({ id: name! }),
  })],
  pages: { signIn: "/login" },
}));

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    return await auth.handle(request, env, { clientAddress: "192.0.2.1" }) ??
      await auth.run(
        request,
        env,
        undefined,
        () => new Response(`${getUser()?.id} ${getSession()?.bound}`),
      );
  },
};
