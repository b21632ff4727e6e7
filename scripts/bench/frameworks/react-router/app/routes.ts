import { index, route, type RouteConfig } from "@react-router/dev/routes";

export default [
  index("routes/home.tsx"),
  route("issues/:id", "routes/issue.tsx"),
  route("new", "routes/new.tsx"),
] satisfies RouteConfig;
