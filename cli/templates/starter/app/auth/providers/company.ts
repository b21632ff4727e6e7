import { createOidcProvider } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import type { Env } from "@framework/cli/runtime";

/** Sign-in at an identity provider (OpenID Connect), where the environment names one. */
export default defineProvider((env: Env) => {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) return null;
  return createOidcProvider({
    id: "company",
    name: "Company",
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    // It is yours: whoever has an address there has it here too.
    trustEmail: true,
  });
});
