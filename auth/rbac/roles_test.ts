import assert from "node:assert/strict";
import { userHasRole } from "./roles.ts";

Deno.test("userHasRole() is literal, in role and roles", () => {
  const user = { id: "a", role: "admin", roles: ["editor"] };
  assert.equal(userHasRole(user, "admin"), true);
  assert.equal(userHasRole(user, "editor"), true);
  assert.equal(userHasRole(user, ["x", "editor"]), true);
  for (const role of ["", "Admin", "admin ", "*", "__proto__", "constructor", "0", "length"]) {
    assert.equal(userHasRole(user, role), false, role);
  }
  assert.equal(userHasRole(user, []), false);
  assert.equal(userHasRole({ id: "a" }, "admin"), false);
  assert.equal(userHasRole({ id: "a" }, ["undefined", ""]), false);
});
