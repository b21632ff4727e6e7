import assert from "node:assert/strict";
import {
  AuthError,
  ConfigurationError,
  CrossSiteRequestError,
  ForbiddenError,
  OAuthError,
  RedirectError,
  RequestError,
  StorageUnavailableError,
  UnauthenticatedError,
} from "../errors.ts";
import { errorResponse } from "./trouble.ts";
import { ownRedirect } from "../core/redirect.ts";
import { escapeHtml } from "../lib/html.ts";

const JSON_REQUEST = new Request("http://localhost/", { headers: { accept: "application/json" } });
const PAGE_REQUEST = new Request("http://localhost/", { headers: { accept: "text/html" } });

Deno.test("a page does not tell visitors of an option, which JSON names for developers", async () => {
  const error = new CrossSiteRequestError();
  const page = await errorResponse(error, PAGE_REQUEST).text();
  assert.match(page, /This request came from another site and was refused\.</);
  assert.doesNotMatch(page, /trustedOrigins/);
  assert.match((await errorResponse(error, JSON_REQUEST).json()).message, /trustedOrigins/);
});

// Tracks: R151
Deno.test("errorResponse() shows nothing of what went wrong on the server", async () => {
  const canary = "canary-7f3a";
  const errors = [
    new Error(canary),
    new ConfigurationError(canary, { cause: new Error(canary) }),
    new StorageUnavailableError(canary, { cause: new Error(canary) }),
    canary,
    { message: canary, status: 404, code: canary },
    Object.assign(new Error(canary), { status: 403, code: canary }),
    null,
    undefined,
  ];
  for (const error of errors) {
    for (const request of [JSON_REQUEST, PAGE_REQUEST]) {
      const response = errorResponse(error, request, { requestId: "request-1" });
      const text = await response.text() + JSON.stringify([...response.headers]);
      assert.ok(response.status >= 500);
      assert.equal(text.includes(canary), false);
      assert.equal(/\bat .*\.ts/.test(text), false);
      assert.ok(text.includes("request-1"));
    }
  }
});

Deno.test("errorResponse() answers { code, message }, and a requestId from status 500 on", async () => {
  assert.deepEqual(await errorResponse(new UnauthenticatedError(), JSON_REQUEST).json(), {
    code: "UNAUTHENTICATED",
    message: "Sign in to continue",
  });
  const broken = await errorResponse(new StorageUnavailableError(), JSON_REQUEST, {
    requestId: "r",
  }).json();
  assert.deepEqual(Object.keys(broken), ["code", "message", "requestId"]);
  assert.equal(broken.code, "STORAGE_UNAVAILABLE");
  const unexpected = await errorResponse(new TypeError("x"), JSON_REQUEST).json();
  assert.equal(unexpected.code, "INTERNAL_ERROR");
  assert.match(unexpected.requestId, /^[0-9a-f-]{36}$/);
});

Deno.test("errorResponse() says what an error has for clients, in JSON and on the page", async () => {
  class PrinterError extends AuthError {
    readonly code = "PRINTER";
    readonly status = 502;
    override readonly publicMessage = "The printer is out of <paper>.";
  }
  const cases: [AuthError, string][] = [
    [new PrinterError("canary-7f3a"), "The printer is out of <paper>."],
    [
      new ConfigurationError("canary-7f3a"),
      "Something went wrong on our side. Try again in a moment.",
    ],
  ];
  for (const [error, message] of cases) {
    assert.equal((await errorResponse(error, JSON_REQUEST).json()).message, message);
    const page = await errorResponse(error, PAGE_REQUEST).text();
    assert.ok(page.includes(`<p class="quiet">${escapeHtml(message)}</p>`), page);
  }
  // Nothing went wrong on our side where a provider does not answer.
  const failed = new OAuthError("OAUTH_UNAVAILABLE", "canary-7f3a");
  const { message } = await errorResponse(failed, JSON_REQUEST).json();
  assert.equal(message, "The sign-in failed. Start again.");
  assert.match(await errorResponse(failed, PAGE_REQUEST).text(), /The other site could not sign/);
  const gone = await errorResponse(new StorageUnavailableError("canary-7f3a"), JSON_REQUEST).json();
  assert.equal(gone.message, "The storage did not answer. Try again in a moment.");
});

Deno.test("errorResponse() never names the role that is required", async () => {
  const error = new ForbiddenError(undefined, { requiredRole: "superuser" });
  for (const request of [JSON_REQUEST, PAGE_REQUEST]) {
    assert.equal((await errorResponse(error, request).text()).includes("superuser"), false);
  }
});

// Tracks: R079, R080
Deno.test("errorResponse() escapes the message and carries the security headers", async () => {
  const response = errorResponse(new ForbiddenError("<script>alert(1)</script>"), PAGE_REQUEST);
  assert.equal((await response.text()).includes("<script>"), false);
  assert.match(response.headers.get("content-security-policy")!, /frame-ancestors 'none'/);
  for (const one of [response, errorResponse(new ForbiddenError(), JSON_REQUEST)]) {
    assert.equal(one.headers.get("cache-control"), "no-store");
    assert.equal(one.headers.get("x-content-type-options"), "nosniff");
  }
});

Deno.test("errorResponse() sets Allow on 405 and Retry-After on 503", () => {
  const error = new RequestError(undefined, { code: "METHOD_NOT_ALLOWED", allow: "GET, HEAD" });
  assert.equal(errorResponse(error, JSON_REQUEST).headers.get("allow"), "GET, HEAD");
  assert.equal(errorResponse(error, PAGE_REQUEST).headers.get("allow"), "GET, HEAD");
  assert.equal(
    errorResponse(new StorageUnavailableError(), PAGE_REQUEST).headers.get("retry-after"),
    "2",
  );
});

Deno.test("errorResponse() makes a redirect of a RedirectError", () => {
  const response = errorResponse(
    new RedirectError(ownRedirect("/login", "https://a.example")),
    JSON_REQUEST,
  );
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), "https://a.example/login");
});
