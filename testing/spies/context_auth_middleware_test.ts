import { authMiddleware, refusalOf } from "@framework/auth/middleware";
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { createMockContext } from "./context.ts";
import { createMockRequest } from "./loader_args.ts";

// Tracks: R132, R133
Deno.test("authMiddleware() runs under createMockContext() with no state besides its arguments", async () => {
  const cwd = tmpdir();
  let calls = 0;
  const answer = new Response("inside");
  const next = () => {
    calls++;
    return Promise.resolve(answer);
  };
  const middleware = authMiddleware({ roles: ["admin", "editor"], authorize: () => true });
  const visitor = createMockContext({ cwd });
  const editor = createMockContext({
    cwd,
    auth: { getUser: () => Promise.resolve({ id: "ada", roles: ["editor"] }) },
  });
  const reader = createMockContext({
    cwd,
    auth: { getUser: () => Promise.resolve({ id: "bob", role: "reader" }) },
  });
  const request = createMockRequest("/admin");
  // At once and in any order: one call knows nothing of the others.
  const responses = await Promise.all(
    [editor, visitor, reader, editor, visitor].map((context) => middleware(request, next, context)),
  );
  assert.deepEqual(responses.map(({ status }) => status), [200, 401, 403, 200, 401]);
  assert.equal(responses[0], answer);
  assert.equal(calls, 2);
  assert.deepEqual(responses.map((response) => refusalOf(response)?.code), [
    undefined,
    "UNAUTHENTICATED",
    "FORBIDDEN",
    undefined,
    "UNAUTHENTICATED",
  ]);
  const permitted = createMockContext({
    cwd,
    auth: {
      getUser: () => Promise.resolve({ id: "ada" }),
      hasPermission: (permission) => Promise.resolve(permission === "posts:read"),
    },
  });
  for (const [permission, status] of [["posts:read", 200], ["posts:write", 403]] as const) {
    const response = await authMiddleware({ permission })(request, next, permitted);
    assert.equal(response.status, status);
  }
});
