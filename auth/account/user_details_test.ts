import assert from "node:assert/strict";
import { createRbac } from "../rbac/permissions.ts";
import { readRbac } from "../rbac/roles.ts";
import type { PasskeyBrowser } from "../tests/passkey_browser.ts";
import { during } from "../tests/during.ts";
import { withFactor } from "../tests/second_factor_application.ts";
import { describeUser, holdsAllOf } from "./user_details.ts";

function headerOf({ cookies }: PasskeyBrowser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

Deno.test("describeUser() says when the ways in were set, and which session is the visitor's own", () =>
  withFactor(async (application) => {
    const { clock, database: { sqlite } } = application;
    const member = await application.member();
    const { secret } = await application.enrol(member);
    sqlite.exec("UPDATE password_hashes SET changed_at = changed_at + 5");
    const other = application.browser();
    await application.begin(other);
    await application.answer(other, await application.code(secret));
    await application.settle();
    const describe = async (cookie?: string) =>
      (await during(application, cookie, () => describeUser(application.userId()))).result!;

    const seen = await describe(headerOf(member));
    const [{ changed_at: changedAt }] = application.rows("password_hashes") as [
      { changed_at: number },
    ];
    const [{ created_at: createdAt }] = application.rows("second_factors") as [
      { created_at: number },
    ];
    assert.deepEqual(
      [seen.passwordChangedAt, seen.secondFactorAt],
      [new Date(changedAt), new Date(createdAt)],
    );
    assert.equal(seen.sessions!.length, 2);
    const currentOf = async (cookie?: string) =>
      (await describe(cookie)).sessions!.filter(({ current }) => current).map(({ id }) => id);
    const [own] = await currentOf(headerOf(member));
    const [theirs] = await currentOf(headerOf(other));
    assert.deepEqual((await currentOf(headerOf(member))).length, 1);
    assert.ok(own !== undefined && theirs !== undefined && own !== theirs);
    assert.deepEqual(await currentOf(), []);

    assert.ok(seen.activity.length > 0);
    for (const entry of seen.activity) assert.equal("userId" in entry, false);
    // Nobody has come since, and it is stored still.
    clock.now += 91 * 86_400_000;
    assert.ok(application.rows("account_activity").length > 0);
    assert.deepEqual((await describe()).activity, []);
  }));

Deno.test("describeUser() says since when somebody is disabled", () =>
  withFactor(async (application) => {
    await application.member();
    application.database.sqlite.exec("UPDATE users SET disabled_at = 5");
    const { result } = await during(
      application,
      undefined,
      () => describeUser(application.userId()),
    );
    assert.deepEqual(result!.disabledAt, new Date(5));
  }));

// Tracks: R185, R186
Deno.test("who holds a part of somebody's rights holds not all of them: of a role, of a field, of what is not defined", () => {
  const rbac = createRbac(readRbac({
    roles: [
      { id: "owner", name: "Owner", permissions: ["*"] },
      { id: "support", name: "Support", permissions: ["users:manage", "posts:read"] },
      { id: "author", name: "Author", permissions: ["posts:read", "posts:update"] },
      { id: "reader", name: "Reader", permissions: ["posts:read"] },
    ],
  }));
  const support = { id: "support", roles: ["support"] };
  const cases: [other: { role?: string; roles?: string[] }, isHeld: boolean][] = [
    [{ roles: ["reader"] }, true],
    [{ role: "reader" }, true],
    // One permission of the two.
    [{ roles: ["author"] }, false],
    [{ role: "author" }, false],
    [{ roles: ["reader", "author"] }, false],
    [{ roles: ["owner"] }, false],
    // The application alone knows what these mean.
    [{ roles: ["billing"] }, false],
    [{ role: "billing" }, false],
  ];
  for (const [other, isHeld] of cases) {
    const what = JSON.stringify(other);
    assert.equal(holdsAllOf(rbac, support, { id: "other", ...other }), isHeld, what);
    assert.equal(holdsAllOf(rbac, { id: "owner", role: "owner" }, { id: "other", ...other }), true);
  }
  for (const has of [{ roles: ["support", "billing"] }, { role: "billing", roles: ["support"] }]) {
    const actor = { id: "actor", ...has };
    assert.equal(holdsAllOf(rbac, actor, { id: "other", roles: ["billing"] }), true);
    assert.equal(holdsAllOf(rbac, actor, { id: "other", role: "billing" }), true);
  }
});
