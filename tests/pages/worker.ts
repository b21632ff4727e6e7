import {
  accountPage,
  createAuth,
  createOidcProvider,
  credentials,
  defaultTheme,
  passkey,
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
  pages: { theme: defaultTheme },
  providers: [
    credentials({
      name: "Password",
      credentials: {
        email: { label: "Email", type: "email", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: ({ email, password }) =>
        Promise.resolve(
          // Nobody has proved the address, so that no mail is a way in.
          password === "right" ? { id: email!, email: email!, name: "Ada" } : null,
        ),
    }),
    createOidcProvider({
      id: "local",
      name: "Local",
      issuer: env.ISSUER,
      clientId: env.CLIENT_ID,
      clientSecret: env.CLIENT_SECRET,
    }),
    passkey({ rpName: "The application", rpId: "localhost", origin: env.ORIGIN }),
    accountPage({ sendEmailChange() {} }),
  ],
}));

/** An application with the account page, a database and a provider on the network. */
const worker: {
  fetch(request: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }): Promise<
    Response
  >;
} = {
  async fetch(request, env, context) {
    const info = { waitUntil: (work: Promise<unknown>) => context.waitUntil(work) };
    return await auth.handle(request, env, info) ??
      new Response('<!doctype html><html lang="en"><title>Home</title><h1>Home</h1></html>', {
        headers: { "content-type": "text/html" },
      });
  },
};

export default worker;
