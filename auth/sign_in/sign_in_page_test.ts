import assert from "node:assert/strict";
import { defaultTheme } from "./pages.ts";
import { credentials } from "./credentials.ts";
import { email } from "./email/provider.ts";
import { passwords } from "./password/provider.ts";
import { createOAuth2Provider } from "./oauth/provider.ts";
import type { Provider } from "../core/provider.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createAuth } from "../app/create_auth.ts";
import type { SignInMethod } from "../core/contracts.ts";
import { answerError } from "../core/error_response.ts";
import { markup } from "../lib/html.ts";

import { ForbiddenError, UnauthenticatedError } from "../errors.ts";
import { german } from "../languages.ts";
import { authMiddleware } from "../session/auth_middleware.ts";
import { requireAuth } from "../session/operations.ts";
import { createTestApplication, ORIGIN as PLACE } from "../tests/application.ts";
import { pageTheme } from "./page_theme.ts";

const ORIGIN = "http://localhost";

function provider(id: string, name: string): Provider {
  return credentials({
    id,
    name,
    credentials: {
      email: { label: "Email", type: "email", required: true, placeholder: 'you@"example' },
      password: { label: "Password", type: "password" },
    },
    authorize: () => Promise.resolve(null),
  });
}

function method(part: Partial<SignInMethod>): Provider {
  const definition: SignInMethod = {
    type: "oauth",
    id: "test",
    name: "Test",
    endpoints: [],
    form: () => markup`<p>form</p>`,
    ...part,
  };
  return { kind: "provider", definition };
}

async function show(
  providers: Provider[],
  { trustedOrigins = [], ...init }: RequestInit & { trustedOrigins?: string[] } = {},
): Promise<{ response: Response; text: string }> {
  const auth = createAuth({
    database: createMemoryStorage(),
    providers,
    trustedOrigins,
    pages: { theme: defaultTheme },
  });
  const path = init.method === "POST" ? "/auth/signin/credentials" : "/auth/signin";
  const headers = { accept: "text/html", origin: ORIGIN };
  const response = await auth.handle(new Request(ORIGIN + path, { headers, ...init }), {});
  return { response: response!, text: await response!.text() };
}

Deno.test("the sign-in page labels every field and tells the browser what to fill in", async () => {
  const { text } = await show([provider("credentials", "Credentials")]);
  assert.match(text, /<html lang="en">/);
  assert.match(
    text,
    /<label for="email">Email<\/label>\n<input id="email" name="email" type="email" autocomplete="username" dir="ltr" placeholder="you@&quot;example" required>/,
  );
  assert.match(
    text,
    /<label for="password">Password<\/label>\n<div class="inside"><input id="password" name="password" type="password" autocomplete="current-password">/,
  );
  assert.match(text, /<button class="go">Sign in<\/button>/);
  assert.equal(text.includes("<h2>"), false);
});

Deno.test("the sign-in page gives each of several providers its own form, and its fields ids of their own", async () => {
  const { text } = await show([provider("one", "First"), provider("two", "<Second>")]);
  assert.match(text, /<form method="post" action="\/auth\/signin\/one">[^]*<input id="email"/);
  assert.match(text, /<form method="post" action="\/auth\/signin\/two">[^]*<input id="two-email"/);
  assert.equal(text.match(/class="go"/g)?.length, 1, "one button is what the page is for");
});

Deno.test("the sign-in page keeps what was typed, but no password", async () => {
  const body = new URLSearchParams({ email: "ada@example.com", password: "hunter2" });
  const { text, response } = await show([provider("credentials", "C")], { method: "POST", body });
  assert.equal(response.status, 401);
  assert.match(text, /value="ada@example\.com"/);
  assert.equal(text.includes("hunter2"), false);
});

Deno.test("the sign-in page lets its forms lead to where their redirects go", async () => {
  const providers = ["identity", "admin"].map((id) =>
    createOAuth2Provider({
      id,
      name: id,
      clientId: "app",
      clientSecret: "secret",
      authorization: `https://${id}.example/authorize`,
      token: `https://${id}.example/token`,
      userinfo: `https://${id}.example/me`,
      profile: () => ({ id: "1" }),
    })
  );
  const { response } = await show(providers, { trustedOrigins: ["https://admin.example"] });
  assert.match(
    response.headers.get("content-security-policy")!,
    /form-action 'self' https:\/\/admin\.example https:\/\/identity\.example;/,
  );
});

Deno.test("the sign-in page allows scripts only when a method brings one along", async () => {
  const without = await show([method({})]);
  assert.equal(without.text.includes("<script"), false);
  assert.doesNotMatch(without.response.headers.get("content-security-policy")!, /script-src/);
  const { response, text } = await show([method({ scripts: ["/test.js"] })]);
  assert.match(text, /<script type="module" src="\/auth\/test\.js"><\/script>/);
  assert.match(response.headers.get("content-security-policy")!, /script-src 'self';/);
});

Deno.test("the sign-in page says so when there is no way to sign in", async () => {
  assert.match((await show([])).text, /No way to sign in has been set up yet/);
});

Deno.test("two providers with one place for their endpoints are a ConfigurationError", async () => {
  const at = (endpoint: () => Response) => [{ path: "/same", method: "GET", endpoint } as const];
  const providers = [
    method({ id: "a", endpoints: at(() => new Response()) }),
    method({ id: "b", endpoints: at(() => new Response()) }),
  ];
  await assert.rejects(show(providers), /Two providers answer GET \/same/);
  const shared = at(() => new Response());
  const sharing = [method({ id: "a", endpoints: shared }), method({ id: "b", endpoints: shared })];
  assert.equal((await show(sharing)).response.status, 200);
});

// Tracks: R168
Deno.test("the pages name no way on that the application does not have", async () => {
  const own = provider("credentials", "Credentials");
  const byMail = email({ from: "x@app.example", sendVerificationRequest: () => Promise.resolve() });
  const withOwn = passwords({ sendMail: () => {} });
  const link = /link in an email/;
  const reset = /[Ss]et a new password/;
  const cases: [providers: Provider[], forgotPassword: string | null, named: RegExp[]][] = [
    [[own], null, []],
    [[own], "/reset", [reset]],
    [[own, byMail], null, [link]],
    [[own, byMail], "/reset", [link, reset]],
    [[withOwn], null, [reset]],
    [[withOwn, byMail], null, [link, reset]],
    [[byMail], null, [link]],
    [[], null, []],
  ];
  for (const [index, [providers, forgotPassword, named]] of cases.entries()) {
    const auth = createAuth({
      database: createMemoryStorage(),
      providers,
      pages: { theme: defaultTheme, ...forgotPassword !== null && { forgotPassword } },
    });
    for (const code of ["RATE_LIMITED_ACCOUNT", "RATE_LIMITED_PASSWORD"]) {
      for (const path of ["signin", "error"]) {
        const response = await auth.handle(new Request(`${ORIGIN}/auth/${path}?error=${code}`), {});
        const text = await response!.text();
        assert.match(text, /too many attempts/, path);
        for (const way of [link, reset]) {
          const isNamed = way.test(text.replace(/<a .*?<\/a>/gs, ""));
          assert.equal(
            isNamed,
            path === "signin" && named.includes(way),
            `${index} ${path} ${way}`,
          );
        }
      }
    }
  }
});

Deno.test("the page for who is not signed in leads to the sign-in page, and back to what was asked for", async () => {
  const application = createTestApplication({
    pages: { theme: pageTheme({ name: "Acme", languages: [german] }) },
  });
  async function refuse(path: string, init: RequestInit = {}): Promise<string> {
    const headers = { accept: "text/html", "accept-language": "de", ...init.headers };
    const request = new Request(PLACE + path, { ...init, headers });
    const response = await application.auth.run(request, {}, undefined, () => {
      requireAuth({ throwError: true });
      return new Response();
    }).catch((error) => errorPageOf(request, error));
    assert.equal(response.status, 401);
    return await response.text();
  }
  function errorPageOf(request: Request, error: unknown): Promise<Response> {
    return application.auth.run(request, {}, undefined, () => answerError(error, request));
  }
  const back = encodeURIComponent("/orders?page=2");
  const button = new RegExp(
    `<a class="button go" href="${PLACE}/auth/signin\\?callbackUrl=${back}"><span>Anmelden</span>`,
  );
  assert.match(await refuse("/orders?page=2"), button);
  const headers = { origin: PLACE, referer: `${PLACE}/orders?page=2` };
  assert.match(await refuse("/orders/new", { method: "POST", headers }), button);
  application.close();
  const own = createAuth({
    baseUrl: PLACE,
    database: createMemoryStorage(),
    pages: { theme: defaultTheme, signIn: "/login" },
  });
  const request = new Request(`${PLACE}/orders`, { headers: { accept: "text/html" } });
  const answer = await own.run(
    request,
    {},
    undefined,
    () => answerError(new UnauthenticatedError(), request),
  );
  assert.match(await answer.text(), new RegExp(`href="${PLACE}/login\\?callbackUrl=%2Forders"`));
});

Deno.test("who may not do something is told as whom they are signed in, and comes to another account", async () => {
  const application = createTestApplication({
    pages: { theme: pageTheme({ name: "Acme", languages: [german] }) },
  });
  const cookie = await application.signIn("ada");
  const guard = authMiddleware({ authorize: () => false });
  function visit(headers: Record<string, string>): Promise<Response> {
    const request = new Request(`${PLACE}/page`, { headers: { accept: "text/html", ...headers } });
    const next = () => Promise.resolve(new Response());
    return application.auth.run(request, {}, undefined, (context) => guard(request, next, context));
  }
  const refused = await visit({ cookie, "accept-language": "de" });
  assert.equal(refused.status, 403);
  const page = await refused.text();
  assert.match(page, /Sie sind als <b><bdi>ada<\/bdi><\/b> angemeldet/);
  assert.match(page, /href="\/auth\/signout"/);
  const json = await visit({ cookie, accept: "application/json" });
  assert.deepEqual(await json.json(), {
    code: "FORBIDDEN",
    message: "You are not allowed to do this",
  });
  // An application's own words stay.
  const own = authMiddleware({
    authorize() {
      throw new ForbiddenError("Only <editors> may publish");
    },
  });
  const request = new Request(`${PLACE}/page`, { headers: { accept: "text/html", cookie } });
  const answer = await application.auth.run(
    request,
    {},
    undefined,
    (context) =>
      own(request, () => Promise.resolve(new Response()), context).catch((error) =>
        answerError(error, request)
      ),
  );
  const text = await answer.text();
  assert.match(text, /Only &lt;editors&gt; may publish\. You’re signed in as <b><bdi>ada/);
  application.close();
});
