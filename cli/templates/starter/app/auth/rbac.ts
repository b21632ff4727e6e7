import { defineRBAC } from "@framework/auth/convention";

/** Permissions by role. Roles of the site stand with the user; those of a team come from the membership. */
export default defineRBAC({
  roles: [
    { id: "member", name: "Member", permissions: [] },
    { id: "support", name: "Support", permissions: ["messages:read"] },
    { id: "admin", name: "Administrator", permissions: ["*"] },
  ],
  teamRoles: [
    { id: "owner", name: "Owner", permissions: ["team:*"] },
    { id: "member", name: "Member", permissions: [] },
  ],
  defaultRole: "member",
  hierarchy: { support: ["member"] },
});
