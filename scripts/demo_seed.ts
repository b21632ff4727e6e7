/**
 * Fills the database of a new demo, so that there is something to look at.
 *
 * @module
 */

import { createAuth, createUser, hashPassword, setUserRoles, transaction } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { addMember, createSqlTenantStorage, defineTenancy } from "@framework/auth/tenant";
import { loadConfig, localDatabasePath, readPlatform } from "@framework/cli/project";
import { DatabaseSync } from "node:sqlite";

/** The administrator of the demo, whom the local identity provider knows too. */
export const ADMINISTRATOR = {
  id: "demo-grace",
  name: "Grace Hopper",
  email: "grace@example.com",
  password: "a few words are easiest",
};

const FOUNDER = { id: "demo-margaret", name: "Margaret Hamilton", email: "margaret@example.com" };

/**
 * Puts the administrator, one more person and two teams into the migrated database of an application that
 * was made from the starter, unless somebody is in it already.
 *
 * @param folder The application's folder.
 */
export async function seedDemo(folder: string): Promise<void> {
  const config = await loadConfig(folder);
  const path = localDatabasePath(await readPlatform(config), config.database, folder);
  const file = new DatabaseSync(path);
  try {
    if (file.prepare("SELECT 1 FROM users LIMIT 1").get() !== undefined) return;
    const database = sqlite(file);
    const tenancy = defineTenancy({ strategy: "path" });
    const auth = createAuth({ database, tenancy });
    await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
      const { password, ...administrator } = ADMINISTRATOR;
      const savePassword = database.prepare(
        "INSERT INTO password_hashes (user_id, hash, changed_at) VALUES (?, ?, ?)",
      ).bind(administrator.id, await hashPassword(password), Date.now());
      const emailVerified = new Date();
      await createUser({ ...administrator, emailVerified }, {
        within: transaction([savePassword]),
      });
      await createUser({ ...FOUNDER, emailVerified });
      await setUserRoles(administrator.id, { role: "admin" });
      const teams = createSqlTenantStorage(database);
      const acme = await teams.create({ slug: "acme", name: "Acme" });
      const globex = await teams.create({ slug: "globex", name: "Globex" });
      await addMember(administrator.id, { tenantId: acme.id, roles: ["owner"] });
      await addMember(FOUNDER.id, { tenantId: acme.id, roles: ["member"] });
      await addMember(FOUNDER.id, { tenantId: globex.id, roles: ["owner"] });
      return new Response();
    });
  } finally {
    file.close();
  }
}
