import { accountPage } from "@framework/auth";
import assert from "node:assert/strict";
import { BY_NAME, createTwoTenants, type Slug, type TwoTenants } from "./two_tenants.ts";

async function exported(
  { auth, request }: TwoTenants,
  tenant: Slug,
  cookie: string,
): Promise<{ type: string; tenantId?: string }[]> {
  const sent = { method: "POST", cookie, headers: { accept: "application/json" }, json: {} };
  const response = await auth.handle(request(tenant, "/auth/account/export", sent), {});
  assert.equal(response?.status, 200);
  return (await response!.json()).activity;
}

// Tracks: Tenant confusion (ours)
Deno.test("what happened in one tenant is shown in no other, unless one is a member there", async () => {
  const application = createTwoTenants("subdomain", { providers: [BY_NAME, accountPage()] });
  const { auth, database, request } = application;
  const acme = await application.signIn("acme", "ada");
  application.clock.now += 1000;
  const base = await application.signIn("base", "ada");
  for (const [tenant, cookie] of [["acme", acme], ["base", base]] as const) {
    const entries = await exported(application, tenant, cookie);
    assert.deepEqual(entries.map(({ type, tenantId }) => [type, tenantId]), [
      ["sign-in", `id-${tenant}`],
    ]);
    const page = await auth.handle(request(tenant, "/auth/account", { cookie }), {});
    assert.deepEqual((await page!.text()).match(/<b>Signed in[^<]*<\/b>/g), [
      "<b>Signed in with Credentials</b>",
    ]);
  }
  database.sqlite.exec(
    "INSERT INTO tenant_members (tenant_id, user_id, created_at) VALUES ('id-base', 'ada', 0)",
  );
  assert.equal((await exported(application, "base", base)).length, 2);
  assert.equal((await exported(application, "acme", acme)).length, 1);
  application.close();
});
