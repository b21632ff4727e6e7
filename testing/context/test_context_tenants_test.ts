import { createSqlTenantStorage } from "@framework/auth/tenant";
import type { SqlDatabase } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createTestContext } from "./test_context.ts";

const cwd = fileURLToPath(new URL("./fixtures/tenants/", import.meta.url));

Deno.test("withAuth({ tenant }) signs in as a member, at the tenant's host", async () => {
  await using ctx = await createTestContext<{ DB: SqlDatabase }>({ cwd });
  const tenants = createSqlTenantStorage(ctx.env.DB);
  const acme = await tenants.create({ id: "acme-id", slug: "acme", name: "Acme" });
  await tenants.create({ id: "other-id", slug: "other", name: "Other" });
  const ada = await ctx.withAuth({
    userId: "ada",
    roles: ["user"],
    tenant: { id: acme.id, roles: ["owner"] },
    origin: "https://acme.app.example",
  });
  assert.deepEqual(await (await ada.fetch("/api/me")).json(), {
    tenant: "acme",
    user: "ada",
    roles: ["user", "owner"],
  });
  const elsewhere = await ctx.withAuth({ userId: "ada", origin: "https://other.app.example" });
  assert.deepEqual(await (await elsewhere.fetch("/api/me")).json(), {
    tenant: "other",
    user: null,
    roles: [],
  });
  const member = await ctx.withAuth({
    userId: "bob",
    tenant: "other-id",
    origin: "https://other.app.example",
  });
  assert.deepEqual(await (await member.fetch("/api/me")).json(), {
    tenant: "other",
    user: "bob",
    roles: [],
  });
});
