import { createAuth, email, getUser, type SqlDatabase } from "@framework/auth";

interface Env {
  DB: SqlDatabase;
  MAIL: { fetch(url: string, init: RequestInit): Promise<Response> };
}

interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  rateLimit: false,
  providers: [email<Env>({
    from: "App <hello@app.example>",
    code: true,
    async sendVerificationRequest(params, { env, from, signal }) {
      const body = JSON.stringify({ ...params, from });
      const response = await env.MAIL.fetch("https://mail.example/", {
        method: "POST",
        body,
        signal,
      });
      if (!response.ok) throw new Error(`The mail service answered ${response.status}`);
    },
  })],
}));

/** An application on workers, whose mails go through an API. */
const worker: { fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> } =
  {
    async fetch(request, env, context) {
      return await auth.handle(request, env, context) ??
        auth.run(request, env, context, () => Response.json(getUser()));
    },
  };

export default worker;
