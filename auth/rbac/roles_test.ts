import assert from "node:assert/strict";
import { userHasRole } from "./permissions.ts";

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

// Tracks: K2
Deno.test("userHasRole() finds no role in a text where the list should be", () => {
  for (const roles of ["superadmin", "admin", { admin: true }, null]) {
    const user = { id: "a", roles: roles as unknown as string[] };
    assert.equal(userHasRole(user, "admin"), false);
    assert.equal(userHasRole(user, ["admin", "a"]), false);
  }
});
