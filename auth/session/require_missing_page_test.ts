import assert from "node:assert/strict";
import { ConfigurationError, OutsideRequestError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import { defaultTheme } from "../sign_in/pages.ts";
import { authMiddleware } from "./middleware.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import type { PagesConfig } from "../core/url_options.ts";
import type { Logger } from "../lib/logger.ts";
import { requireAuth, requireRecentAuth } from "./operations.ts";

const QUIET: Logger = { info() {}, warn() {}, error() {} };

/** Response to a visitor who requests a page for users. */
async function visit(pages: PagesConfig | undefined, work: () => unknown): Promise<Response> {
  const auth = createAuth({
    database: createMemoryStorage(),
    logger: QUIET,
    ...(pages !== undefined && { pages }),
  });
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
  const auth = createAuth({ database: createMemoryStorage(), logger: QUIET });
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
