import {
  type AuthEvent,
  createAuth,
  createMemoryStorage,
  credentials,
  type CredentialsField,
  defaultTheme,
  getUser,
  passkey,
  type PasskeyConfig,
  type Provider,
} from "@framework/auth";

/** An application with passkeys, as browsers see it. */
export interface PasskeySite {
  /** Origin of a host on its port. */
  origin(host: string): string;
  /** Storage of the application. */
  database: ReturnType<typeof createMemoryStorage>;
  /** Recorded events. */
  events: AuthEvent[];
  close(): Promise<void>;
}

/** Options for a {@linkcode PasskeySite}. */
export interface PasskeySiteOptions {
  /** Options of the provider. */
  passkey?: Partial<PasskeyConfig>;
  /** The field by which users name themselves. Default: a text, in whose list no passkeys are offered. */
  field?: CredentialsField;
  /** Further providers. Default: none. */
  further?: Provider[];
}

/** The domain of the passkeys. */
export const RP_ID = "app.localhost";

/** The application's own page, whose form for one more passkey is served by the library's script. */
function homePage(): Response {
  const page = `<!doctype html><title>Application</title><h1>Hello ${
    getUser()?.name ?? "nobody"
  }</h1>
<form method="post" action="/auth/passkey/register" data-passkey="register" data-options="/auth/passkey/options/register" hidden>
<input type="hidden" name="credential"><input type="hidden" name="callbackUrl" value="/added">
<label>Passkey <input name="passkeyName"></label>
<button>Add a passkey</button><p role="alert" hidden></p></form>
<form method="post" action="/auth/signout"><button>Sign out</button></form>
<script type="module" src="/auth/passkey.js"></script>`;
  return new Response(page, { headers: { "content-type": "text/html" } });
}

/** Serves it at `app.localhost` and `shop.app.localhost`, which it knows, and at whatever else is asked for. */
export function servePasskeySite(options: PasskeySiteOptions = {}): PasskeySite {
  const events: AuthEvent[] = [];
  const database = createMemoryStorage();
  const applications = new Map<string, ReturnType<typeof createAuth>>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const auth = applicationAt(new URL(request.url).origin);
    return await auth.handle(request, {}) ?? await auth.run(request, {}, undefined, homePage);
  });
  const { port } = server.addr;
  const origin = (host: string) => `http://${host}:${port}`;

  function applicationAt(baseUrl: string): ReturnType<typeof createAuth> {
    let auth = applications.get(baseUrl);
    if (auth !== undefined) return auth;
    auth = createAuth({
      baseUrl,
      database,
      secret: "a secret of at least thirty-two bytes",
      rateLimit: false,
      pages: { theme: defaultTheme },
      events: { "*": (event) => void events.push(event) },
      providers: [
        credentials({
          credentials: {
            name: options.field ?? { label: "Name", type: "text" },
            password: { label: "Password", type: "password" },
          },
          authorize: ({ name, password }) =>
            Promise.resolve(password === "right" ? { id: name!, name: name! } : null),
        }),
        passkey({
          rpName: "The application",
          rpId: RP_ID,
          origin: [origin(RP_ID), origin(`shop.${RP_ID}`)],
          ...options.passkey,
        }),
        ...options.further ?? [],
      ],
    });
    applications.set(baseUrl, auth);
    return auth;
  }

  return { origin, database, events, close: () => server.shutdown() };
}
