import { defineRBAC } from "@framework/auth/convention";

export default defineRBAC({
  roles: [{ id: "reader", name: "Reader", permissions: ["books:read"] }],
  defaultRole: "reader",
});
