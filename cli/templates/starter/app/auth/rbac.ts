import { defineRBAC } from "@framework/auth/convention";

/** Permissions by role. Roles stand with the user; those of a team come from the membership. */
export default defineRBAC({
  roles: [
    { id: "member", name: "Member", permissions: ["teams:create"] },
    { id: "owner", name: "Owner of a team", permissions: ["team:invite"] },
    { id: "support", name: "Support", permissions: ["messages:read"] },
    { id: "admin", name: "Administrator", permissions: ["*"] },
  ],
  defaultRole: "member",
  hierarchy: { owner: ["member"], support: ["member"] },
});
