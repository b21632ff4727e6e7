import { pageTheme } from "@framework/auth";
import { defineAuthConfig } from "@framework/auth/convention";
import type { Env } from "@framework/cli/runtime";
import { brandColor, siteName } from "../_components/site.ts";

/** Sign-in configuration: the pages below `/auth` and the mails have this name, logo and colour. */
export default defineAuthConfig((env: Env) => ({
  cookies: { sessionToken: { hostOnly: true } },
  pages: {
    theme: pageTheme({ name: siteName, logo: "/favicon.svg", colors: { brand: brandColor } }),
  },
  secret: env.AUTH_SECRET,
}));
