import { assertGuarded, createTestContext } from "@framework/testing";
import { it } from "vitest";
import config from "../framework.config.ts";

// It asks on copies of all data, which PostgreSQL and the worker pool (`framework test --pool`) do not have.
const { database } = config;
const isPostgres = typeof database === "object" && database.dialect === "postgres";
const inPool = navigator.userAgent === "Cloudflare-Workers";

it.skipIf(isPostgres || inPool)("guards every route that is not for everybody", async () => {
  await using ctx = await createTestContext();
  for (const id of ["acme", "globex"]) {
    const team = { id, slug: id, name: id, "created_at": 0, "updated_at": 0 };
    await ctx.db.insertInto("tenants").values(team).execute();
  }
  // A user who may do everything, and the owner of another team.
  const acme = { id: "acme", roles: ["owner"] };
  const ada = await ctx.withAuth({ userId: "ada", role: "admin", tenant: acme });
  const bob = await ctx.withAuth({ userId: "bob", tenant: { ...acme, id: "globex" } });

  await assertGuarded(ada, {
    public: [
      "/",
      "/contact",
      "/favicon.svg",
    ],
    signedIn: ["/dashboard", "/api/me"],
    params: { tenant: { own: "acme", foreign: "globex" } },
    other: bob,
  });
});
