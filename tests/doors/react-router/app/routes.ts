import { index, route } from "@react-router/dev/routes";

export default [
  index("home.tsx"),
  route("auth/*", "auth.ts"),
  route("account", "account.tsx"),
  route("admin", "admin.tsx"),
  route("stream", "stream.tsx"),
  route("api/me", "me.ts"),
];
