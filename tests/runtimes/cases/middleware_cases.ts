import { AuthError, createUser, startSession } from "@framework/auth";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import assert from "node:assert/strict";
import { cookieOf, createApplication, ownRequest } from "../application.ts";
import type { Case } from "../behaviour.ts";

const OPTIONS: [string, AuthMiddlewareOptions][] = [
  ["nothing", {}],
  ["not required", { required: false }],
  ["a redirect", { unauthenticatedRedirect: "/login" }],
  ["a role", { role: "admin" }],
  ["any of two roles", { roles: ["admin", "editor"] }],
  ["a role and a redirect", { role: "admin", unauthorizedRedirect: "/denied" }],
  ["authorize", { authorize: (user) => user.id === "root" }],
  ["authorize with a truthy value", { authorize: () => "yes" as unknown as boolean }],
  ["authorize that throws", { authorize: () => Promise.reject(new Error("no")) }],
  ["not required, a role", { required: false, role: "admin" }],
  ["a role of the prototype", { role: "__proto__" }],
];

/** Cases about decisions of `authMiddleware`. */
export const MIDDLEWARE_CASES: Record<string, Case> = {
  // Tracks: R128, R132, R133
  "authMiddleware() has one verdict for every option and user": async (world) => {
    const application = await createApplication(world);
    const cookies: Record<string, string> = { nobody: "" };
    for (const [id, role] of [["ada", "member"], ["root", "admin"]] as const) {
      cookies[id] = cookieOf(
        await application.visit(async () => {
          await createUser({ id, role, roles: ["reader"] });
          await startSession(id);
          return new Response();
        }, { method: "POST" }),
      );
    }
    const seen: unknown[] = [];
    for (const [what, options] of OPTIONS) {
      const middleware = authMiddleware(options);
      for (const [who, cookie] of Object.entries(cookies)) {
        let entered = false;
        const request = ownRequest("/page", cookie === "" ? {} : { cookie });
        const verdict = await application.auth.run(request, {}, undefined, async (context) => {
          return await middleware(request, () => {
            entered = true;
            return Promise.resolve(new Response("entered"));
          }, context);
        }).then(
          (response) => `${response.status} ${response.headers.get("location") ?? ""}`.trim(),
          (error) => error instanceof AuthError ? error.code : `${error}`,
        );
        assert.equal(entered, verdict === "200", `${what}: ${who}`);
        seen.push([what, who, verdict]);
      }
    }
    return seen;
  },
};
