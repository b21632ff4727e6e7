import fc from "fast-check";
import assert from "node:assert/strict";
import type { User } from "../types/user.ts";
import { createRbac, type PermissionOptions } from "./permissions.ts";
import { type RbacConfig, readRbac } from "./roles.ts";

type Ask = [user: User, permission: string, options?: PermissionOptions];

// What the specification says, word by word and without a thought for speed.
function inherits(config: RbacConfig, role: string): string[] {
  const parents = Object.entries(config.hierarchy ?? {}).find(([id]) => id === role)?.[1] ?? [];
  return [role, ...parents.flatMap((parent) => inherits(config, parent))];
}
function covers(held: string, asked: string): boolean {
  if (held === "*" || held === asked) return true;
  const [resource, action, own] = held.split(":");
  const [askedResource, askedAction] = asked.split(":");
  if (resource !== askedResource) return false;
  return action === "*" || (action === askedAction && own === undefined);
}
function model(config: RbacConfig, [user, asked, options = {}]: Ask): boolean {
  if (!/^(\*|[^:*\s]+:(\*|[^:*\s]+(:own)?))$/.test(asked)) return false;
  const roles = [user.role, ...user.roles ?? []].filter((role) => role !== undefined);
  if (roles.length === 0 && config.defaultRole !== undefined) roles.push(config.defaultRole);
  const held = roles.flatMap((role) => inherits(config, role)).flatMap((role) =>
    config.roles.find(({ id }) => id === role)?.permissions ?? []
  );
  return held.some((one) => {
    if (!covers(one, asked)) return false;
    const onlyOwn = /:.*:own$/.test(one);
    return !onlyOwn || !("ownerId" in options) || options.ownerId === user.id;
  });
}

const ROLE_IDS = ["a", "b", "c", "d", "__proto__", "constructor", "toString"];
const names = fc.constantFrom("posts", "posts2", "post", "__proto__", "constructor", "own", "*");
const permission = fc.oneof(
  fc.constant("*"),
  fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(":")),
  fc.tuple(names, names).map(([resource, action]) => `${resource}:${action}:own`),
);
const granted = permission.filter((one) => /^(\*|[^:*]+:(\*|[^:*]+(:own)?))$/.test(one));
const someRoles = fc.subarray(ROLE_IDS);
const config = fc.tuple(
  someRoles.chain((ids) =>
    fc.tuple(...ids.map((id) => fc.record({ id: fc.constant(id), permissions: fc.array(granted) })))
  ),
  fc.array(fc.tuple(fc.nat(), fc.nat())),
  fc.option(fc.nat()),
).map(([roles, edges, fallback]): RbacConfig => {
  const ids = roles.map(({ id }) => id);
  // Only upwards, so that there is no cycle.
  const hierarchy = ids.map((id, index): [string, string[]] => {
    const inherited = edges.filter(([from]) => from % ids.length === index)
      .map(([, to]) => ids[index + 1 + to]);
    return [id, inherited.filter((parent) => parent !== undefined)];
  });
  const defaultRole = fallback === null ? undefined : ids[fallback];
  return {
    roles: roles.map((role) => ({ ...role, name: role.id })),
    hierarchy: Object.fromEntries(hierarchy),
    ...(defaultRole !== undefined && { defaultRole }),
  };
});
const role = fc.constantFrom(...ROLE_IDS, "ghost");
const user: fc.Arbitrary<User> = fc.record({
  id: fc.constant("ada"),
  role,
  roles: fc.array(role, { maxLength: 3 }),
}, { requiredKeys: ["id"] });
const options: fc.Arbitrary<PermissionOptions> = fc.constantFrom(
  {},
  { ownerId: "ada" },
  { ownerId: "bob" },
  { ownerId: null },
  { ownerId: undefined },
);

// Tracks: R128, R129, R130, R131
Deno.test("createRbac() says what a model of a few lines says, whatever the roles and the question", () => {
  let yes = 0;
  const property = fc.property(
    config,
    fc.array(fc.tuple(user, permission, options)),
    (given, asks) => {
      const rbac = createRbac(readRbac(given));
      for (const ask of asks) {
        const expected = model(given, ask);
        assert.equal(rbac.permits(...ask), expected, JSON.stringify([given, ask]));
        if (expected) yes++;
      }
    },
  );
  fc.assert(property, { numRuns: 2000 });
  assert.ok(yes > 100, `only ${yes} questions were answered with yes`);
});

function rbacOf(config: Partial<RbacConfig>) {
  return createRbac(readRbac({ roles: [], ...config }));
}

// Tracks: R128
Deno.test("createRbac() permits nothing that is not written down", () => {
  const reader = { id: "reader", name: "Reader", permissions: ["posts:read"] };
  const none = rbacOf({});
  const some = rbacOf({ roles: [reader] });
  const fallback = rbacOf({ roles: [reader], defaultRole: "reader" });
  const rows: [ReturnType<typeof rbacOf>, Omit<User, "id">, string, boolean][] = [
    [none, { role: "admin" }, "posts:read", false],
    [none, { role: "*" }, "*", false],
    [some, {}, "posts:read", false],
    [some, { role: "reader" }, "posts:read", true],
    [some, { roles: ["ghost", "reader"] }, "posts:read", true],
    [some, { role: "reader" }, "posts:write", false],
    [some, { role: "reader" }, "posts", false],
    [some, { role: "reader" }, "posts2:read", false],
    [some, { role: "Reader" }, "posts:read", false],
    [some, { role: "ghost" }, "posts:read", false],
    [some, { role: "__proto__" }, "posts:read", false],
    [fallback, {}, "posts:read", true],
    [fallback, { roles: [] }, "posts:read", true],
    [fallback, { role: "ghost" }, "posts:read", false],
    [fallback, { roles: ["ghost"] }, "posts:read", false],
    [fallback, { role: null as unknown as string }, "posts:read", true],
  ];
  for (const [rbac, roles, permission, expected] of rows) {
    const given = JSON.stringify([roles, permission]);
    assert.equal(rbac.permits({ id: "ada", ...roles }, permission), expected, given);
  }
});

// Tracks: R131
Deno.test("createRbac() lets :own never become more, and believes no owner who is not named", () => {
  const author = { id: "author", name: "Author", permissions: ["posts:update:own"] };
  const rbac = rbacOf({ roles: [author] });
  const ada: User = { id: "ada", role: "author" };
  assert.equal(rbac.permits(ada, "posts:update:own"), true);
  assert.equal(rbac.permits(ada, "posts:update:own", { ownerId: "ada" }), true);
  for (const ownerId of ["bob", "", null, undefined, ["ada"] as unknown as string]) {
    assert.equal(rbac.permits(ada, "posts:update:own", { ownerId }), false);
  }
  const nobody = { role: "author" } as User;
  assert.equal(rbac.permits(nobody, "posts:update:own", { ownerId: undefined }), false);
  for (const more of ["posts:update", "posts:*", "*", "posts:own", "posts:delete:own"]) {
    assert.equal(rbac.permits(ada, more, { ownerId: "ada" }), false, more);
  }
});

// Tracks: R130
Deno.test("createRbac() inherits through diamonds and a thousand roles, without recursion", () => {
  const depth = 10_000;
  const roles = Array.from({ length: depth }, (_, n) => ({
    id: `r${n}`,
    name: `R${n}`,
    permissions: n === depth - 1 ? ["deep:read"] : [],
  }));
  // Each role inherits from the next two: a diamond at every step, and more ways than could be walked.
  const hierarchy = Object.fromEntries(
    roles.slice(0, -2).map(({ id }, n) => [id, [`r${n + 1}`, `r${n + 2}`]]),
  );
  const rbac = rbacOf({ roles, hierarchy });
  assert.equal(rbac.permits({ id: "ada", role: "r0" }, "deep:read"), true);
  assert.equal(rbac.permits({ id: "ada", role: "r0" }, "deep:write"), false);
  assert.equal(rbac.permits({ id: "ada", role: `r${depth - 2}` }, "deep:read"), false);
});

Deno.test("createRbac() holds to what was checked when the configuration is changed afterwards", () => {
  const reader = { id: "reader", name: "Reader", permissions: ["posts:read"] };
  const roles = [reader];
  const rbac = rbacOf({ roles });
  reader.permissions.push("*");
  roles.push({ id: "late", name: "Late", permissions: ["*"] });
  assert.equal(rbac.permits({ id: "ada", role: "reader" }, "posts:write"), false);
  assert.equal(rbac.permits({ id: "ada", role: "late" }, "posts:write"), false);
});
