import { createAuth, passkey, type SqlDatabase } from "@framework/auth";

interface Env {
  DB: SqlDatabase;
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  // A test sends a hundred answers at once.
  rateLimit: false,
  providers: [passkey({
    rpName: "The application",
    rpId: "app.example",
    origin: "https://app.example",
    signUp: true,
  })],
}));

/** An application with nothing but passkeys. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return await auth.handle(request, env) ?? new Response("not here", { status: 404 });
  },
};

export default worker;
