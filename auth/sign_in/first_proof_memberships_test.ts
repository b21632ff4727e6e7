import assert from "node:assert/strict";
import { createMemoryStorage } from "../storage/memory.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { createTestApplication, passwordProvider } from "../tests/application.ts";
import { identityProvider } from "../tests/identity_provider.ts";

// Tracks: A-01, R029
Deno.test("the first proof of an address ends memberships that are kept elsewhere than users", async () => {
  for (const proved of [false, true]) {
    const database = createMemoryStorage();
    const members = createMemoryTenantMembers();
    const application = createTestApplication({
      database,
      rateLimit: false,
      allowedHosts: ["app.example"],
      providers: [passwordProvider(), identityProvider("email", { type: "email" })],
      tenancy: defineTenancy({ strategy: "cookie", storage: createMemoryTenantStorage(), members }),
    });
    const at = application.clock.now;
    const email = "victim@example.com";
    const user = { id: "ada", email, ...(proved && { emailVerified: new Date(at) }) };
    await database.createUser({ user, emailIdentity: email, at });
    for (let index = 0; index < 120; index++) {
      await members.add({
        tenantId: `t${index}`,
        userId: "ada",
        roles: [],
        createdAt: new Date(at),
      });
    }
    await members.add({ tenantId: "t0", userId: "eve", roles: [], createdAt: new Date(at) });
    const fields = { sub: "1", email, verified: "true" };
    const response = await application.send("/signin/email", { fields });
    assert.equal(response.status, 303);
    const left = await members.listOfUser("ada");
    assert.equal(left.members.length > 0, proved);
    assert.equal((await members.listOfUser("eve")).members.length, 1);
    application.close();
  }
});
