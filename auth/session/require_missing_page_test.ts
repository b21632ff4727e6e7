import assert from "node:assert/strict";
import { ConfigurationError, OutsideRequestError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import { defaultTheme } from "../sign_in/pages.ts";
import { authMiddleware, type AuthMiddlewareContext } from "./auth_middleware.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import type { PagesConfig } from "../core/url_options.ts";
import type { Logger } from "../lib/logger.ts";
import { requireAuth, requireRecentAuth } from "./operations.ts";
import type { AuthOptions } from "../app/options.ts";
import { createOAuth2Provider } from "../sign_in/oauth/provider.ts";
import { passwordProvider } from "../tests/application.ts";

const QUIET: Logger = { info() {}, warn() {}, error() {} };

/** An application that writes no log. */
function createQuiet(options: Partial<AuthOptions> = {}): ReturnType<typeof createAuth> {
  return createAuth({
    database: createMemoryStorage(),
    logger: QUIET,
    rateLimit: false,
    ...options,
  });
}

/** A provider that nobody comes to. */
function providerOf(id: string): ReturnType<typeof createOAuth2Provider> {
  return createOAuth2Provider({
    id,
    name: id,
    clientId: "client",
    clientSecret: "secret",
    authorization: "https://id.example/authorize",
    token: "https://id.example/token",
    userinfo: "https://id.example/me",
    profile: () => ({ id: "1" }),
  });
}

/** Response to a visitor who requests a page for users. */
async function visit(pages: PagesConfig | undefined, work: () => unknown): Promise<Response> {
  const auth = createQuiet(pages === undefined ? {} : { pages });
  async function serve(request: Request): Promise<Response> {
    return await auth.handle(request, {}) ??
      await auth.run(request, {}, undefined, () => (work(), new Response()));
  }
  const response = await serve(new Request("http://localhost/private"));
  const location = response.headers.get("location");
  return location === null ? response : await serve(new Request(location));
}

// Tracks: AU-09
Deno.test("no visitor is sent to a sign-in page that is not there", async () => {
  for (const pages of [undefined, {}, { signIn: "/auth/signin" }, { signIn: "/auth/login" }]) {
    for (const work of [() => requireAuth(), () => requireRecentAuth()]) {
      await assert.rejects(visit(pages, work), (error) => {
        assert.ok(error instanceof ConfigurationError, String(error));
        assert.match(error.message, /`pages.theme` \(defaultTheme.*`pages.signIn`.*throwError/);
        return true;
      });
    }
    const refused = await visit(pages, () => requireAuth({ throwError: true }));
    assert.equal(refused.status, 401);
  }
  const page = await visit({ theme: defaultTheme }, () => requireAuth());
  assert.deepEqual([page.status, (await page.text()).includes("Sign in")], [200, true]);
});

// Tracks: AU-09
Deno.test("authMiddleware sends no visitor to a built-in page that is not there", async () => {
  const auth = createQuiet();
  const middleware = authMiddleware({ unauthenticatedRedirect: "/auth/signin" });
  const request = new Request("http://localhost/private");
  await assert.rejects(
    auth.run(
      request,
      {},
      undefined,
      (context) => middleware(request, () => Promise.resolve(new Response()), context),
    ),
    /there is no page at "\/auth\/signin".*`pages.theme`/,
  );
});

const one = providerOf("one");

/** What a visitor of `/private?tab=2` is answered at each step, up to a response that leads nowhere here. */
async function follow(
  options: Partial<AuthOptions>,
  work: (request: Request, context: AuthMiddlewareContext) => unknown,
): Promise<Response[]> {
  const auth = createQuiet(options);
  const answers: Response[] = [];
  let next: string | null = "http://localhost/private?tab=2";
  while (next?.startsWith("http://localhost/") && answers.length < 5) {
    const request: Request = new Request(next, {
      headers: { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    });
    const response: Response = await auth.handle(request, {}) ??
      await auth.run(request, {}, undefined, async (context) => {
        const answer = await work(request, context);
        return answer instanceof Response ? answer : new Response();
      });
    answers.push(response);
    next = response.headers.get("location");
  }
  return answers;
}

// Tracks: AU-09, R077, R085
Deno.test("without a page and with one provider a visitor is led there and back", async () => {
  const guard = authMiddleware({ unauthenticatedRedirect: "/auth/signin" });
  const ways: Parameters<typeof follow>[1][] = [
    () => requireAuth(),
    () => requireRecentAuth(),
    (request, context) => guard(request, () => Promise.resolve(new Response()), context),
  ];
  for (const work of ways) {
    const answers = await follow({ providers: [one] }, work);
    assert.deepEqual(answers.map(({ status }) => status), [303, 303]);
    const start = new URL(answers[0]!.headers.get("location")!);
    assert.equal(start.pathname, "/auth/signin/one");
    assert.equal(start.searchParams.get("callbackUrl"), "/private?tab=2");
    const provider = new URL(answers[1]!.headers.get("location")!);
    assert.equal(provider.origin + provider.pathname, "https://id.example/authorize");
    assert.ok(provider.searchParams.get("state")!.length >= 22);
    // The answer counts in this browser alone: so nobody is signed in as whoever sent them here.
    const cookies = answers[1]!.headers.getSetCookie();
    assert.equal(cookies.length, 1);
    assert.match(cookies[0]!, /HttpOnly/);
  }
});

Deno.test("with several providers and no page, or with a way of another kind, the error says what to set", async () => {
  const two = providerOf("two");
  for (const providers of [[one, two], [passwordProvider()], [one, passwordProvider()]]) {
    await assert.rejects(
      follow({ providers }, () => requireAuth()),
      /no sign-in page.*`pages.theme`.*`pages.signIn`/,
    );
  }
});

// Tracks: R072
Deno.test("GET begins a sign-in at a provider only where there is no page, for a visitor who follows a link", async () => {
  function get(options: Partial<AuthOptions>, headers: HeadersInit, method = "GET") {
    const auth = createQuiet({ providers: [one], ...options });
    const url = "http://localhost/auth/signin/one?callbackUrl=https://evil.example/&intent=link";
    return auth.handle(new Request(url, { method, headers }), {});
  }
  const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  assert.equal((await get({}, navigation))!.status, 303);
  assert.equal((await get({}, { ...navigation, "sec-fetch-site": "cross-site" }))!.status, 303);
  for (
    const headers of [
      { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
      { ...navigation, "sec-purpose": "prefetch;prerender" },
    ]
  ) {
    const response = await get({}, headers);
    assert.equal(response!.status, 405);
    assert.deepEqual(response!.headers.getSetCookie(), []);
  }
  for (
    const [options, method] of [
      [{ pages: { theme: defaultTheme } }, "GET"],
      [{ pages: { signIn: "/login" } }, "GET"],
      [{ providers: [one, passwordProvider()] }, "GET"],
      [{}, "HEAD"],
    ] as const
  ) {
    const response = await get(options as Partial<AuthOptions>, navigation, method);
    assert.equal(response!.status, 405);
    assert.equal(response!.headers.get("allow"), "POST");
  }
});

// Tracks: AU-06
Deno.test("an operation outside of auth.run() says what to ask in its place", () => {
  assert.throws(() => requireAuth(), (error) => {
    assert.ok(error instanceof OutsideRequestError);
    assert.match(
      error.message,
      /inside auth\.run\(\).*Next\.js, ask readAuth\(auth, request, env\)/,
    );
    return true;
  });
});
