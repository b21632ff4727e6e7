import { defineAuthConfig } from "@framework/auth/convention";
import type { Env } from "../../env.ts";

/** Sign-in configuration of this application. */
export default defineAuthConfig((env: Env) => ({
  session: { strategy: "database" },
  cookies: { sessionToken: { hostOnly: true } },
  pages: { signIn: "/signin", verifyRequest: "/signin/sent", forgotPassword: "/reset" },
  secret: env.AUTH_SECRET,
}));
