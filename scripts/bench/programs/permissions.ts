import {
  createAuth,
  defineRBAC,
  hasPermission,
  issueSession,
  type RbacDefinition,
} from "@framework/auth";
import { createMemoryStorage } from "@framework/auth/storage";
import { AsyncLocalStorage } from "node:async_hooks";
import { batched, type Contenders, type Job, type Setting } from "../contender.ts";

/** With how many roles it is measured. */
export const ROLE_COUNTS: readonly number[] = [10, 100, 1000];

/** Questions in one call; with as many, what a request costs around them is no part of the figure. */
const BATCH = 10_000;
const ASKED = 30;
const ACTIONS = ["read", "update", "delete"];

/** Roles in chains of ten: each permits three things of its own, and what the next one permits. */
function rolesOf(count: number) {
  const roles = Array.from({ length: count }, (_, index) => ({
    id: `role${index}`,
    name: `Role ${index}`,
    permissions: ACTIONS.map((action) => `thing${index}:${action}`),
  }));
  const hierarchy: Record<string, string[]> = {};
  for (let index = 0; index < count; index++) {
    if (index % 10 !== 9) hierarchy[`role${index}`] = [`role${index + 1}`];
  }
  const asked = roles.slice(0, 10).flatMap(({ permissions }) => permissions);
  return {
    roles,
    hierarchy,
    asked,
    subjects: asked.map((permission) => permission.split(":")[0]!),
    actions: asked.map((permission) => permission.split(":")[1]!),
  };
}

/** Does a job again and again in a request of somebody with the first role. */
async function inRequest(rbac: RbacDefinition, job: Job): Promise<Job> {
  const storage = createMemoryStorage();
  await storage.createUser({ user: { id: "ada", role: "role0" }, emailIdentity: null, at: 0 });
  const auth = createAuth({ database: storage, rbac, baseUrl: "http://localhost" });
  const { cookies } = await issueSession(auth, "ada", {});
  const headers = { cookie: cookies[0]!.split(";")[0]! };
  const request = new Request("http://localhost/", { headers });
  return Object.assign(async () => {
    await auth.run(request, {}, undefined, () => {
      job();
      return new Response();
    });
  }, { batch: job.batch ?? 1 });
}

function rules(count: number) {
  const { roles, hierarchy } = rolesOf(count);
  const rbac = defineRBAC({ roles, hierarchy });
  const { definition } = rbac;
  if (typeof definition === "function") throw new Error("defineRBAC() did not compile the roles");
  return { rbac, definition };
}

async function enforcerOf(count: number, { peers }: Setting, isCached: boolean) {
  const { newModelFromString, StringAdapter, newEnforcer, newCachedEnforcer } = await peers
    .casbin();
  const { roles, hierarchy } = rolesOf(count);
  const model = newModelFromString(`
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act
`);
  const lines = [
    ...roles.flatMap(({ id, permissions }) =>
      permissions.map((permission) => `p, ${id}, ${permission.replace(":", ", ")}`)
    ),
    ...Object.entries(hierarchy).map(([id, [next]]) => `g, ${id}, ${next}`),
  ];
  const policy = new StringAdapter(lines.join("\n"));
  return await (isCached ? newCachedEnforcer : newEnforcer)(model, policy);
}

const KINDS: Record<string, (count: number, setting: Setting) => Job | Promise<Job>> = {
  "a lookup in a set"(count) {
    const { asked } = rolesOf(count);
    const held = new Set(asked);
    return batched(BATCH, (turn) => held.has(asked[turn % ASKED]!));
  },
  "the library: its rules"(count) {
    const { asked } = rolesOf(count);
    const { definition } = rules(count);
    const user = { id: "ada", role: "role0" };
    return batched(BATCH, (turn) => definition.permits(user, asked[turn % ASKED]!));
  },
  "a set of the request, by hand"(count) {
    const { asked } = rolesOf(count);
    const store = { held: new Set(asked) };
    const requests = new AsyncLocalStorage<typeof store>();
    const ask = batched(BATCH, (turn) => requests.getStore()!.held.has(asked[turn % ASKED]!));
    return Object.assign(() => requests.run(store, ask), { batch: BATCH });
  },
  "the library: hasPermission()"(count) {
    const { asked } = rolesOf(count);
    return inRequest(
      rules(count).rbac,
      batched(BATCH, (turn) => hasPermission(asked[turn % ASKED]!)),
    );
  },
  async "CASL, an ability made before"(count, { peers }) {
    const { createMongoAbility } = await peers.casl();
    const { actions, subjects } = rolesOf(count);
    const ability = createMongoAbility(
      actions.map((action, turn) => ({ action, subject: subjects[turn]! })),
    );
    return batched(BATCH, (turn) => ability.can(actions[turn % ASKED]!, subjects[turn % ASKED]!));
  },
  async "accesscontrol"(count, { peers }) {
    const { AccessControl } = await peers.accesscontrol();
    const { roles, hierarchy, actions, subjects } = rolesOf(count);
    const control = new AccessControl();
    // A role can take over only one that is there.
    for (const { id } of roles.toReversed()) {
      const thing = id.replace("role", "thing");
      const grant = control.grant(id).readAny(thing).updateAny(thing).deleteAny(thing);
      const [next] = hierarchy[id] ?? [];
      if (next !== undefined) grant.extend(next);
    }
    const ask = {
      read: (subject: string) => control.can("role0").readAny(subject),
      update: (subject: string) => control.can("role0").updateAny(subject),
      delete: (subject: string) => control.can("role0").deleteAny(subject),
    };
    return batched(100, (turn) => {
      return ask[actions[turn % ASKED] as keyof typeof ask](subjects[turn % ASKED]!).granted;
    });
  },
  async "casbin, with its cache"(count, setting) {
    const enforcer = await enforcerOf(count, setting, true);
    const { actions, subjects } = rolesOf(count);
    let turn = 0;
    return async () => {
      const at = turn++ % ASKED;
      if (!await enforcer.enforce("role0", subjects[at]!, actions[at]!)) throw new Error("Refused");
    };
  },
  async "casbin"(count, setting) {
    const enforcer = await enforcerOf(count, setting, false);
    const { actions, subjects } = rolesOf(count);
    let turn = 0;
    return () => {
      const at = turn++ % ASKED;
      if (!enforcer.enforceSync("role0", subjects[at]!, actions[at]!)) throw new Error("Refused");
    };
  },
};

/** Names of the kinds; a contender is `"<count> roles: <kind>"`. */
export const PERMISSION_KINDS: readonly string[] = Object.keys(KINDS);

/** Permission checks for a role that inherits from others. */
export const contenders: Contenders = Object.fromEntries(
  ROLE_COUNTS.flatMap((count) =>
    Object.entries(KINDS).map(([kind, make]) => [
      `${count} roles: ${kind}`,
      (setting: Setting) => make(count, setting),
    ])
  ),
);
