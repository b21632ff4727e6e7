import fc from "fast-check";
import assert from "node:assert/strict";
import type { User } from "../types/user.ts";
import { authMiddleware, type AuthMiddlewareOptions } from "./auth_middleware.ts";
import { createRbac } from "../rbac/permissions.ts";
import { readRbac } from "../rbac/roles.ts";

type Verdict = "next" | 401 | 403 | "signin" | "denied";

/** Rules of the specification (4.2, rules 1 to 3), word by word; `may` holds the user's permissions. */
function model(
  options: AuthMiddlewareOptions,
  user: User | null,
  may: (permission: string) => boolean,
): Verdict {
  const { required = true, role, roles, permission, permissions, authorize } = options;
  const conditions = [role, roles, permission, permissions, authorize]
    .filter((one) => one !== undefined);
  if (user === null) {
    if (!required && conditions.length === 0) return "next";
    return options.unauthenticatedRedirect === undefined ? 401 : "signin";
  }
  const held = [user.role, ...user.roles ?? []];
  let holds = role === undefined || held.includes(role);
  holds = holds && (roles === undefined || roles.some((one) => held.includes(one)));
  holds = holds && (permission === undefined || may(permission));
  holds = holds && (permissions === undefined || permissions.some(may));
  if (holds && authorize !== undefined) {
    try {
      holds = authorize(user, undefined!) as unknown === true;
    } catch {
      holds = false;
    }
  }
  if (holds) return "next";
  return options.unauthorizedRedirect === undefined ? 403 : "denied";
}

const ROLES = ["reader", "owner", "__proto__", "constructor", "toString", "ghost"];
const PERMISSIONS = ["posts:read", "posts2:read", "posts:read:own", "__proto__:read", "posts:*"];
const rbac = createRbac(readRbac({
  roles: [
    { id: "reader", name: "Reader", permissions: ["posts:read"] },
    { id: "owner", name: "Owner", permissions: ["posts:*", "__proto__:constructor"] },
    { id: "__proto__", name: "Prototype", permissions: ["__proto__:read"] },
    { id: "constructor", name: "Constructor", permissions: ["posts2:read", "posts:read:own"] },
  ],
  hierarchy: JSON.parse('{"owner":["reader"],"constructor":["__proto__"]}'),
}));

const role = fc.constantFrom(...ROLES);
const permission = fc.constantFrom(...PERMISSIONS);
const filled = { minLength: 1, maxLength: 3 };
const authorize = fc.constantFrom(true, false, "true", 1, {}, undefined, null).map((answer) =>
  Object.assign(() => answer as boolean, { toString: () => `() => ${JSON.stringify(answer)}` })
);
function throwing(): boolean {
  throw new Error("a defect");
}
const anyOptions: fc.Arbitrary<AuthMiddlewareOptions> = fc.record({
  required: fc.boolean(),
  role,
  roles: fc.array(role, filled),
  permission,
  permissions: fc.array(permission, filled),
  authorize: fc.oneof(authorize, fc.constant(throwing)),
  unauthenticatedRedirect: fc.constant("/signin"),
  unauthorizedRedirect: fc.constant("/denied"),
}, { requiredKeys: [] });
const anyUser: fc.Arbitrary<User | null> = fc.option(
  fc.record({ id: fc.constant("ada"), role, roles: fc.array(role, { maxLength: 2 }) }, {
    requiredKeys: ["id"],
  }),
  { freq: 5 },
);

async function verdictOf(options: AuthMiddlewareOptions, user: User | null): Promise<Verdict> {
  let passed = false;
  const next = () => {
    passed = true;
    return Promise.resolve(new Response());
  };
  const auth = {
    getUser: () => Promise.resolve(user),
    hasPermission: (one: string) => Promise.resolve(user !== null && rbac.permits(user, one)),
  };
  const request = new Request("https://app.example/page", {
    headers: { accept: "application/json" },
  });
  const response = await authMiddleware(options)(request, next, { auth });
  const location = response.headers.get("location");
  assert.equal(passed, response.status === 200);
  if (passed) return "next";
  if (location === null) return response.status as 401 | 403;
  return new URL(location).pathname.slice(1) as "signin" | "denied";
}

// Tracks: R132, R133, R135
Deno.test("authMiddleware() decides as the model of the specification, whatever options and user", async () => {
  const counts = new Map<Verdict, number>();
  const property = fc.asyncProperty(anyOptions, anyUser, async (options, user) => {
    const expected = model(options, user, (one) => user !== null && rbac.permits(user, one));
    counts.set(expected, (counts.get(expected) ?? 0) + 1);
    assert.equal(await verdictOf(options, user), expected);
  });
  await fc.assert(property, { numRuns: 3000 });
  for (const verdict of ["next", 401, 403, "signin", "denied"] as const) {
    assert.ok((counts.get(verdict) ?? 0) > 20, `${verdict}: ${counts.get(verdict)}`);
  }
});
