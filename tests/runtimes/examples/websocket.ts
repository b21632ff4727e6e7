import {
  createAuth,
  credentials,
  errorResponse,
  readSession,
  type SqlDatabase,
} from "@framework/auth";

declare const WebSocketPair: new () => Record<"0" | "1", WebSocket & { accept(): void }>;

interface Env {
  DB: SqlDatabase; // a D1 binding
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  cookies: { sessionToken: { hostOnly: true } },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
}));

async function openChat(request: Request, env: Env): Promise<Response> {
  auth.assertSameOrigin(request, env); // throws when another site's page asks
  const session = await readSession(auth, request, env);
  if (session === null) return new Response("Sign in first", { status: 401 });
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.send(`Hello ${session.user.name}`);
  return new Response(null, { status: 101, webSocket: client } as ResponseInit);
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return await auth.handle(request, env) ?? await openChat(request, env);
    } catch (error) {
      return errorResponse(error, request);
    }
  },
};
