import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * Leaves the current work and sends the client elsewhere. `requireAuth()` throws it; `auth.run()`
 * answers it. Where a framework catches it first, `errorResponse()` or `toResponse()` make the response, or the
 * framework's own redirect goes to `location`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, RedirectError, requireAuth } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const response = await auth.run(new Request("http://localhost/private"), {}, undefined, () => {
 *   try {
 *     requireAuth();
 *   } catch (error) {
 *     if (error instanceof RedirectError) return error.toResponse();
 *     throw error;
 *   }
 *   return new Response("private");
 * });
 * equal(response.status, 303);
 * ```
 */
export class RedirectError extends AuthError {
  /** `"RedirectError"`, also in minified code, where the class has another name. */
  override readonly name: string = "RedirectError";
  /** No client sees it: the response is a redirect. */
  readonly code: "REDIRECT" = "REDIRECT";
  /** 303 See Other (RFC 9110, 15.4.4): the browser asks with GET, whatever the request was. */
  readonly status: 303 = 303;
  /** The absolute URL, which the redirect guard has passed. */
  readonly location: SafeRedirect;

  /**
   * Makes the error. Applications catch it rather than make it.
   *
   * @param location The absolute URL. Only the redirect guard makes this type.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(location: SafeRedirect, fields?: AuthErrorFields) {
    super(`Redirect to ${location}: answer it by errorResponse(error, request)`, fields);
    this.location = location;
  }

  /** The 303 response. It is not cached, since it depends on who asks. */
  toResponse(): Response {
    return new Response(null, {
      status: this.status,
      headers: { "location": this.location, "cache-control": "no-store", "vary": "Cookie" },
    });
  }
}

/**
 * An absolute URL to which this application may send a client. Only the redirect guard makes it, so a
 * redirect that nobody checked does not compile.
 */
export type SafeRedirect = string & { readonly "passed the redirect guard": true };
