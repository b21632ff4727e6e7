import { ownRedirect } from "../http/redirect_guard.ts";
import { currentRequest } from "./request_store.ts";

/**
 * The absolute address of a path of this application, for a link in a mail. Its host is the own address,
 * see `baseUrl` and `allowedHosts`, so no forged request can make a link lead elsewhere.
 *
 * @param path Such as "/reset".
 * @param parameters What is added to its query.
 * @throws {TypeError} When the path leads elsewhere.
 * @throws {ConfigurationError} When nothing says what the own address is.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, ownUrl } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * const request = new Request("https://evil.example/reset");
 * const response = await auth.run(request, {}, undefined, () => {
 *   return new Response(ownUrl("/reset", { token: "abc" }));
 * });
 * equal(await response.text(), "https://app.example/reset?token=abc");
 * ```
 */
export function ownUrl(path: string, parameters: Record<string, string> = {}): string {
  return ownRedirect(path, currentRequest("ownUrl").auth.origin(), parameters);
}
