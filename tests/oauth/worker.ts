import {
  accountEndpoints,
  createAuth,
  createOidcProvider,
  defaultTheme,
  getAccessToken,
  getUser,
  sealedTokens,
  type SqlDatabase,
} from "@framework/auth";

interface Env {
  DB: SqlDatabase;
  ISSUER: string;
  ORIGIN: string;
  CLIENT_ID: string;
  CLIENT_SECRET: string;
}

const auth = createAuth<Env>((env) => ({
  database: env.DB,
  baseUrl: env.ORIGIN,
  secret: "a secret of at least thirty-two bytes",
  providerTokens: sealedTokens,
  pages: { theme: defaultTheme },
  providers: [
    accountEndpoints(),
    ...["query", "form_post"].map((responseMode) =>
      createOidcProvider({
        id: responseMode === "query" ? "local" : "form",
        name: "Local",
        issuer: env.ISSUER,
        clientId: env.CLIENT_ID,
        clientSecret: env.CLIENT_SECRET,
        responseMode: responseMode as "query",
      })
    ),
  ],
}));

/** An application on workerd whose provider is on the network. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return await auth.handle(request, env) ??
      await auth.run(request, env, undefined, async () => {
        const name = getUser()?.name ?? null;
        return Response.json({ name, token: name && await getAccessToken("local") });
      });
  },
};

export default worker;
