import {
  configurePasswordHashing,
  createAuth,
  createUser,
  credentials,
  defaultTheme,
  getUser,
  hashPassword,
  needsRehash,
  parseEmailAddress,
  requireAuth,
  type SqlDatabase,
  startSession,
  transaction,
  verifyPassword,
} from "../mod.ts";

interface Env {
  DB: SqlDatabase;
}

// Of 20 sign-ins at once the last waits for all the others, which on a slow machine is longer than 5 s.
configurePasswordHashing({ maxWait: 60 });

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  pages: { theme: defaultTheme },
  providers: [credentials<Env>({
    credentials: {
      email: { label: "Email", type: "email", required: true },
      password: { label: "Password", type: "password", required: true },
    },
    async authorize({ email, password }, { env }) {
      const row = await env.DB.prepare(
        "SELECT id, hash FROM users JOIN passwords ON user_id = id WHERE email_identity = ?1",
      ).bind(parseEmailAddress(email!)?.identity ?? "").first<{ id: string; hash: string }>();
      const known = await verifyPassword(password!, row?.hash);
      return known && row !== null ? { id: row.id } : null;
    },
  })],
}));

async function signUp(request: Request, env: Env): Promise<Response> {
  const { email, password } = await request.json() as Record<string, string>;
  const id = crypto.randomUUID();
  const hash = await hashPassword(password!);
  const stored = env.DB.prepare("INSERT INTO passwords VALUES (?1, ?2)").bind(id, hash);
  await createUser({ id, email: email! }, { within: transaction([stored]) });
  await startSession(id);
  return Response.json({ hash, rehash: needsRehash(hash) });
}

async function application(request: Request, env: Env): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/signup") return await signUp(request, env);
  if (pathname === "/private") return Response.json(requireAuth());
  if (pathname === "/verify") {
    const { password, hash } = await request.json() as Record<string, string>;
    return Response.json(await verifyPassword(password!, hash!));
  }
  const before = getUser()?.email ?? null;
  await new Promise((resolve) => setTimeout(resolve, Number(searchParams.get("wait") ?? 0)));
  return Response.json([before, getUser()?.email ?? null]);
}

/** A worker as an application would write it, small enough to read at once. */
const worker: { fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> } =
  {
    async fetch(request, env, context) {
      return await auth.handle(request, env, context) ??
        auth.run(request, env, context, () => application(request, env));
    },
  };

interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

export default worker;
