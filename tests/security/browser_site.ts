import {
  type AuthOptions,
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
} from "@framework/auth";

/**
 * Site whose browser events are observed: the application and the sites that attack it, on one
 * port.
 */
export interface BrowserSite {
  port: number;
  /** Origin of a host on the site's port. */
  origin(host: string): string;
  close(): Promise<void>;
}

/** Hosts that stand for other sites; every other host is the application. */
const OTHER_SITES = ["evil.localhost", "127.0.0.1"];

/** The forms with which another site attacks. */
function attackPage(target: string): Response {
  const form = (name: string, path: string, enctype = "application/x-www-form-urlencoded") =>
    `<form method="post" action="${target}${path}" enctype="${enctype}">
<input name="name" value="eve"><input name="password" value="right"><button>${name}</button></form>`;
  const page = [
    "<!doctype html><title>Another site</title>",
    form("sign in", "/auth/signin/credentials"),
    form("sign in as text", "/auth/signin/credentials", "text/plain"),
    form("sign in as parts", "/auth/signin/credentials", "multipart/form-data"),
    form("sign out", "/auth/signout"),
    `<img src="${target}/auth/signout" alt="">`,
  ].join("\n");
  return new Response(page, { headers: { "content-type": "text/html" } });
}

/** The application's own page, with a form of its own. */
function homePage(): Response {
  const page = `<!doctype html><title>Application</title><h1>Hello ${getUser()?.id ?? "nobody"}</h1>
<a href="/auth/signin">Sign in</a> <a href="/auth/signout">Sign out</a>`;
  return new Response(page, { headers: { "content-type": "text/html" } });
}

/** Serves an application whose users sign in by a name of their own and the password "right". */
export function serveSite(
  options: (origin: string) => Partial<AuthOptions> = () => ({}),
): BrowserSite {
  const applications = new Map<string, ReturnType<typeof createAuth>>();
  function applicationAt(origin: string): ReturnType<typeof createAuth> {
    let auth = applications.get(origin);
    if (auth === undefined) {
      auth = createAuth({
        baseUrl: origin,
        database: createMemoryStorage(),
        providers: [credentials({
          credentials: {
            name: { label: "Name", type: "text", required: true },
            password: { label: "Password", type: "password", required: true },
          },
          authorize: ({ name, password }) =>
            Promise.resolve(password === "right" ? { id: name!, name: name! } : null),
        })],
        pages: { theme: defaultTheme },
        ...options(origin),
      });
      applications.set(origin, auth);
    }
    return auth;
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { origin, hostname, pathname, searchParams } = new URL(request.url);
    if (OTHER_SITES.includes(hostname) && pathname === "/attack") {
      return attackPage(searchParams.get("target") ?? "");
    }
    const auth = applicationAt(origin);
    return await auth.handle(request, {}) ?? await auth.run(request, {}, undefined, homePage);
  });
  const { port } = server.addr;
  return { port, origin: (host) => `http://${host}:${port}`, close: () => server.shutdown() };
}
