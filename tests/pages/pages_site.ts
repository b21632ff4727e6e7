import assert from "node:assert/strict";
import {
  type AuthOptions,
  codeHostProvider,
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  email,
  type EmailParams,
  getUser,
  impersonationBanner,
  passkey,
  type Provider,
  searchPortalProvider,
} from "@framework/auth";

/** An application with every way to sign in and the built-in pages. */
export interface PagesSite {
  origin: string;
  /** The mails that were sent, the newest last. */
  mails: EmailParams[];
  close(): Promise<void>;
}

const LOGO =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="#0b6b4f"/></svg>`;

/** Serves it. */
export function servePagesSite(
  options: Partial<AuthOptions> = {},
  more: Provider[] = [],
): PagesSite {
  const mails: EmailParams[] = [];
  const database = createMemoryStorage();
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
  }, async (request) => {
    if (new URL(request.url).pathname === "/logo.svg") {
      return new Response(LOGO, { headers: { "content-type": "image/svg+xml" } });
    }
    return await auth.handle(request, {}) ?? await auth.run(request, {}, undefined, () => {
      return new Response(
        `<!doctype html><html lang="en"><title>Home</title><link rel="icon" href="data:,">${
          impersonationBanner() ?? ""
        }<h1>Hello ${getUser()?.name ?? "nobody"}</h1>`,
        {
          headers: { "content-type": "text/html" },
        },
      );
    });
  });
  const origin = `http://localhost:${server.addr.port}`;
  const secret = "s".repeat(32);
  const auth = createAuth<unknown>({
    baseUrl: origin,
    database,
    secret,
    rateLimit: false,
    pages: { theme: defaultTheme },
    providers: [
      codeHostProvider({ clientId: "id", clientSecret: "secret" }),
      searchPortalProvider({ clientId: "id", clientSecret: "secret" }),
      credentials({
        name: "Password",
        credentials: {
          email: {
            label: "Email",
            type: "email",
            required: true,
            placeholder: "you@example.com",
          },
          password: { label: "Password", type: "password", required: true },
        },
        authorize: ({ email, password }) =>
          Promise.resolve(
            password === "right"
              ? { id: email!, email: email!, name: "Ada", emailVerified: new Date() }
              : null,
          ),
      }),
      email({
        code: true,
        from: "login@example.com",
        sendVerificationRequest: (params) => {
          mails.push(params);
          return Promise.resolve();
        },
      }),
      passkey({ rpName: "The application", rpId: "localhost", origin, signUp: true }),
      ...more,
    ],
    ...options,
  });
  return { origin, mails, close: () => server.shutdown() };
}

/** Signs in with a device that nobody looks at; the first time makes the account. */
export async function signInElsewhere(origin: string, email = "ada@example.com"): Promise<void> {
  const response = await fetch(`${origin}/auth/signin/credentials`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams({ email, password: "right" }),
    redirect: "manual",
  });
  await response.body?.cancel();
  assert.equal(response.status, 303);
}
