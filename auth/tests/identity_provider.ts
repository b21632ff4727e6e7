import { linkIdentity, type NamedIdentity, signInWithIdentity } from "../sign_in/identity.ts";
import type { Account } from "../types/callbacks.ts";
import { jsonResponse } from "../core/redirect.ts";
import { readFields } from "../lib/body.ts";
import type { Provider } from "../core/provider.ts";
import { holdsStill, requireRecentUser } from "../session/require.ts";
import type { AccountTokens } from "../storage/records.ts";
import type { EndpointContext, SignInMethod } from "../core/contracts.ts";
import { markup } from "../lib/html.ts";

/** Tokens as an OAuth provider leaves them, sealed. */
export const TOKENS: AccountTokens = {
  accessToken: "sealed-access",
  refreshToken: "sealed-refresh",
  expiresAt: null,
  tokenType: "bearer",
  scope: "read",
};

/** Options for {@linkcode identityProvider}. */
export interface IdentityProviderOptions {
  /** Default "oauth". */
  type?: Account["type"];
  /** Default true. */
  trustEmail?: boolean;
}

/**
 * A provider that believes whatever is posted: who it is (`sub`), the address (`email`) and whether that is
 * proved (`verified`), at `/signin/<id>` and, to be linked, at `/link/<id>`.
 */
export function identityProvider(id: string, options: IdentityProviderOptions = {}): Provider {
  const { type = "oauth", trustEmail = true } = options;

  async function readIdentity({ store }: EndpointContext): Promise<NamedIdentity> {
    const fields = await readFields(store.request, { optional: false });
    const name = fields.get("name");
    return {
      provider: id,
      providerAccountId: fields.get("sub")!,
      type,
      user: { email: fields.get("email") ?? null, ...(name !== undefined && { name }) },
      emailVerified: fields.get("verified") === "true",
      trustEmail,
    };
  }

  const method: SignInMethod = {
    type,
    id,
    name: id,
    endpoints: [
      {
        path: `/signin/${id}`,
        method: "POST",
        endpoint: async (context) =>
          await signInWithIdentity(context, {
            identity: await readIdentity(context),
            tokens: type === "email" ? null : TOKENS,
            callbackUrl: null,
          }),
      },
      {
        path: `/link/${id}`,
        method: "POST",
        endpoint: async (context) => {
          const { store } = context;
          const state = await store.auth.load();
          const user = requireRecentUser(state, { throwError: true }, store);
          const identity = await readIdentity(context);
          const askedIn = state.status === "valid" ? state.id : "";
          const link = {
            identity,
            tokens: TOKENS,
            askedIn,
            stillThere: async () => state.status === "valid" && await holdsStill(store, state),
          };
          const elsewhere = await linkIdentity(context, user.id, link);
          return jsonResponse({ elsewhere });
        },
      },
    ],
    form: () => markup``,
  };
  return { kind: "provider", definition: method };
}
