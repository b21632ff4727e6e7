import {
  type AuthOptions,
  createAuth,
  defaultTheme,
  email,
  type EmailConfig,
  getUser,
  type Provider,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import { type SmtpPeer, startSmtpPeer } from "./smtp_peer.ts";

/** An application on a port of this machine, whose links go through a mail server. */
export interface MailSite {
  /** Its origin. */
  origin: string;
  /** The mail server. */
  peer: SmtpPeer;
  /** Its database. */
  database: DatabaseSync;
  /** Posts a form from the own origin; each answer is followed by hand. */
  post(path: string, fields: Record<string, string>, headers?: HeadersInit): Promise<Response>;
  close(): Promise<void>;
}

/** Options that differ between sites. */
export interface MailSiteOptions {
  /** Of the provider. */
  config?: Partial<EmailConfig>;
  /** Of the library. */
  options?: Partial<AuthOptions>;
  /** Ways to sign in whose mails go through the server. Default: by a link. */
  providers?: (peer: SmtpPeer) => Provider[];
}

function homePage(): Response {
  const page = `<!doctype html><title>Home</title><h1>Hello ${getUser()?.email ?? "nobody"}</h1>`;
  return new Response(page, { headers: { "content-type": "text/html" } });
}

/** Serves an application whose visitors sign in by email. */
export async function serveMailSite(
  { config = {}, options = {}, providers }: MailSiteOptions = {},
): Promise<MailSite> {
  const peer = await startSmtpPeer();
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request, { remoteAddr: { hostname: clientAddress } }) =>
      await auth.handle(request, {}, { clientAddress }) ??
        await auth.run(request, {}, { clientAddress }, homePage),
  );
  const origin = `http://localhost:${server.addr.port}`;
  const auth: ReturnType<typeof createAuth> = createAuth({
    baseUrl: origin,
    database: sqlite(database),
    providers: providers?.(peer) ?? [
      email({ from: "App <hello@app.example>", sendVerificationRequest: peer.send, ...config }),
    ],
    pages: { theme: defaultTheme },
    ...options,
  });
  return {
    origin,
    peer,
    database,
    post: (path, fields, headers = {}) =>
      fetch(`${origin}/auth${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { origin, accept: "text/html", ...headers },
        body: new URLSearchParams(fields),
      }),
    async close() {
      await server.shutdown();
      await peer.close();
      database.close();
    },
  };
}

/** Runs a test with such an application. */
export async function withSite(
  work: (site: MailSite) => Promise<void>,
  options?: MailSiteOptions,
): Promise<void> {
  const site = await serveMailSite(options);
  try {
    await work(site);
  } finally {
    await site.close();
  }
}
