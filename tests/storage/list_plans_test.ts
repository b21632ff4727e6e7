import assert from "node:assert/strict";
import { listPlansOnSqlite, listReadsOnPostgres, LISTS, PAGE } from "../../scripts/list_plans.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { inMatrix } from "../support/matrix.ts";

const bin = await findPostgres();

// As many as it takes for PostgreSQL to prefer an index to a small table; the matrix has a million.
const COUNT = inMatrix ? 1_000_000 : 10_000;

// The index and what is looked up in it, by the beginning of a list's name.
const INDEXES: readonly (readonly [name: string, index: string])[] = [
  ["newest users", "users_by_creation ((created_at,id)<(?,?))"],
  ["users with", "sqlite_autoindex_user_roles_1 (role=? AND user_id>?)"],
  ["users by an address", "sqlite_autoindex_users_2 (email_identity>? AND email_identity<?)"],
  ["users by a name", "users_by_name (<expr>"],
  ["newest entries", "sqlite_autoindex_audit_entries_1 (id>? AND id<?)"],
  ["entries of a user", "audit_entries_by_user (user_id=? AND id>? AND id<?)"],
  ["entries of who", "audit_entries_by_actor (actor_id=? AND id>? AND id<?)"],
  ["entries of", "audit_entries_by_type (type=? AND id>? AND id<?)"],
  ["members", "sqlite_autoindex_tenant_members_1 (tenant_id=? AND user_id>?)"],
  ["teams", "tenant_members_by_user (user_id=?)"],
  ["invitations", "sqlite_autoindex_tenant_invitations_3 (tenant_id=? AND email_identity>?)"],
  ["keys of a team", "api_keys_by_tenant (tenant_id=?)"],
  ["keys of a user", "api_keys_by_user (user_id=?)"],
];

// Tracks: F21, OP-05, OP-11
Deno.test("lists of administrators and teams are read by their index on SQLite", async () => {
  const all = await listPlansOnSqlite(COUNT);
  assert.deepEqual([...all.keys()], Object.keys(LISTS));
  for (const [name, plans] of all) {
    const [, index] = INDEXES.find(([beginning]) => name.startsWith(beginning))!;
    assert.ok(plans.length > 0, name);
    for (const plan of plans) {
      assert.ok(plan.includes(` INDEX ${index}`), `${name}\n${plan}`);
      // The page itself is read as a whole; what is sorted is of one user or team.
      assert.doesNotMatch(plan, /SCAN (?!entries$|page$)/m, `${name}\n${plan}`);
      if (!/^(?:teams|keys) of/.test(name)) assert.doesNotMatch(plan, /TEMP B-TREE/, name);
    }
  }
});

// Tracks: F21, OP-05
Deno.test({
  name: "a page of a list of administrators and teams costs what is on it on PostgreSQL" +
    (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const all = await listReadsOnPostgres(COUNT, bin!);
    assert.deepEqual([...all.keys()], Object.keys(LISTS));
    // An entry and its user, or its person and its actor; and those that an index finds beside a page.
    const tooMany = [...all].flatMap(([name, reads]) =>
      reads.filter(({ rows }) => rows > 4 * PAGE).map((read) => ({ name, ...read }))
    );
    assert.deepEqual(tooMany, []);
  },
});
