import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
  hasPermission,
} from "@framework/auth";
import type { AuthMiddlewareContext } from "@framework/auth/middleware";

export const auth = createAuth({
  database: createMemoryStorage(),
  baseUrl: process.env.BASE_URL ?? "http://localhost:3000",
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});

/** The part of a context that `authMiddleware` reads, for servers that have none of their own. */
export const context: AuthMiddlewareContext = {
  auth: {
    getUser: async () => getUser(),
    hasPermission: async (permission) => hasPermission(permission),
  },
};
