import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { defineRBAC, type RbacConfig, readRbacOption } from "./roles.ts";

const EDITOR = { id: "editor", name: "Editor", permissions: ["posts:*"] };
const READER = { id: "reader", name: "Reader", permissions: [] };

// Tracks: R153, R129, R130, RBAC cycles
Deno.test("defineRBAC() throws a ConfigurationError that names the role and the mistake", () => {
  const roles = [EDITOR, READER];
  const chain = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`r${n}`, [`r${n + 1}`]]));
  const wrong: [unknown, RegExp][] = [
    [5, /"rbac": found 5/],
    [{}, /"rbac\.roles": found nothing/],
    [{ roles: {} }, /"rbac\.roles": found an object/],
    [{ roles: ["editor"] }, /"rbac\.roles\[0\]": found "editor"/],
    [{ roles: [{ ...EDITOR, id: "" }] }, /rbac\.roles\[0\]\.id/],
    [{ roles: [{ ...EDITOR, id: 5 }] }, /rbac\.roles\[0\]\.id/],
    [{ roles: [{ ...EDITOR, name: undefined }] }, /roles\[0\]\.name" \(role "editor"\)/],
    [{ roles: [{ ...EDITOR, description: 5 }] }, /description" \(role "editor"\)/],
    [{ roles: [{ ...EDITOR, permissions: "posts:*" }] }, /permissions" \(role "editor"\)/],
    [{ roles: [{ ...EDITOR, permission: [] }] }, /Did you mean "permissions"/],
    [
      { roles: [READER, { ...EDITOR, permissions: ["a:b", "posts"] }] },
      /roles\[1\]\.permissions\[1\]" \(role "editor"\): found "posts"; write "resource:action"/,
    ],
    [{ roles: [{ ...EDITOR, permissions: ["post*:read"] }] }, /role "editor".*"post\*:read"/],
    [{ roles: [{ ...EDITOR, permissions: ["a:*:own"] }] }, /role "editor"/],
    [{ roles: [EDITOR, EDITOR] }, /roles\[1\]\.id": found "editor".*no other role/],
    [{ roles, defaultRole: "guest" }, /rbac\.defaultRole": found "guest".*editor, reader/],
    [{ roles, defaultRole: "__proto__" }, /rbac\.defaultRole/],
    [{ roles, hierarchy: [] }, /rbac\.hierarchy/],
    [{ roles, hierarchy: { editr: ["reader"] } }, /rbac\.hierarchy": found "editr"/],
    [{ roles, hierarchy: { editor: "reader" } }, /hierarchy" \(role "editor"\).*a list/],
    [{ roles, hierarchy: { editor: ["redaer"] } }, /\(role "editor"\): found "redaer"/],
    [{ roles, hierarchy: { editor: ["constructor"] } }, /found "constructor"/],
    [
      { roles, hierarchy: { editor: ["editor"] } },
      /"editor" inherits from itself \(editor → editor\)/,
    ],
    [{ roles, hierarchy: { editor: ["reader"], reader: ["editor"] } }, /editor → reader → editor/],
    [{
      roles: Array.from({ length: 13 }, (_, n) => ({ ...READER, id: `r${n}` })),
      hierarchy: { ...chain, r12: ["r0"] },
    }, /r0 → r1 → r2 → r3 → … → r10 → r11 → r12 → r0/],
    [{ roles, heirarchy: {} }, /Did you mean "hierarchy"/],
  ];
  for (const [config, message] of wrong) {
    assert.throws(() => defineRBAC(config as RbacConfig), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("defineRBAC() compiles at once, and a function with the environment", () => {
  const config: RbacConfig = { roles: [EDITOR, READER], hierarchy: { editor: ["reader"] } };
  const user = { id: "ada", role: "editor" };
  const { kind, definition } = defineRBAC(config);
  assert.equal(kind, "rbac");
  assert.equal(readRbacOption(defineRBAC(config), {})!.permits(user, "posts:read"), true);
  assert.equal(typeof definition, "object");
  const later = defineRBAC((env: { name: string }) => ({
    roles: [{ ...EDITOR, permissions: [`${env.name}:read`] }],
  }));
  assert.equal(readRbacOption(later, { name: "news" })!.permits(user, "news:read"), true);
  assert.throws(() => readRbacOption(later, { name: "a b" }), ConfigurationError);
});

Deno.test("readRbacOption() takes what defineRBAC() returns, and nothing", () => {
  assert.equal(readRbacOption(undefined, {}), null);
  for (const wrong of [null, 5, { roles: [] }, { kind: "provider" }]) {
    assert.throws(() => readRbacOption(wrong, {}), /"rbac".*what defineRBAC\(\) returns/);
  }
});
