/**
 * Sign-in with Microsoft.
 *
 * @module
 */

import type { JSONWebKeySet } from "jose";
import type { Provider } from "../../../core/provider.ts";
import { fromBase64UrlText } from "../../../lib/encoding.ts";
import { isOptions, wrongOption } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import type { UserProfile } from "../../../types/user.ts";
import { invalidResponse } from "../request.ts";
import { identifyByIdToken } from "../id_token.ts";
import { createShared, fetchKeys } from "../jwks.ts";
import { STANDARD_SCOPE } from "../oidc.ts";
import { createOAuthMethod } from "../provider.ts";
import { textOf } from "../userinfo.ts";
import { definePreset, type PresetConfig, type PresetOptions } from "./preset.ts";

/** Options for {@linkcode microsoft}. */
export interface MicrosoftConfig extends PresetConfig {
  /**
   * Accounts that may sign in: the id of one tenant (a GUID), "organizations" for work and school accounts of all
   * tenants, "consumers" for personal accounts, or "common" for all. Default "common".
   */
  tenant?: string;
  /**
   * Trusts addresses. Default true, which believes those with the claim `xms_edov`, and no others. `true` with the id
   * of one tenant, which is your own, also believes addresses that its administrators have given, without the claim.
   */
  trustEmail?: boolean;
}

const AT = "https://login.microsoftonline.com";
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// The tenant of all personal accounts.
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";

// As https://learn.microsoft.com/entra/identity-platform/howto-add-branding-in-apps shows it on buttons.
const LOGO =
  '<path fill="#F25022" d="M1 1h10.5v10.5H1z"/><path fill="#7FBA00" d="M12.5 1H23v10.5H12.5z"/>' +
  '<path fill="#00A4EF" d="M1 12.5h10.5V23H1z"/><path fill="#FFB900" d="M12.5 12.5H23V23H12.5z"/>';

/** The tenant that a token names, before anything of it is known to be true: it tells what must be proved of it. */
function namedTenant(idToken: string | null): string | null {
  try {
    const claims: unknown = JSON.parse(fromBase64UrlText(idToken?.split(".")[1] ?? "") ?? "");
    const tid = isOptions(claims) ? claims.tid : null;
    return typeof tid === "string" && GUID.test(tid) ? tid : null;
  } catch {
    return null;
  }
}

/** The keys that sign for an issuer: a key of one tenant says nothing about another's people. */
function keysFor(
  { keys }: JSONWebKeySet,
  { issuer, tid }: { issuer: string; tid: string },
): JSONWebKeySet {
  return {
    keys: keys.filter((key) => {
      const { issuer: said } = key as { issuer?: unknown };
      return said === undefined || String(said).replace("{tenantid}", tid) === issuer;
    }),
  };
}

function readTenant(value: unknown): string {
  if (value === "common" || value === "organizations") return value;
  if (value === "consumers") return CONSUMERS;
  if (typeof value === "string" && GUID.test(value)) return value;
  throw wrongOption(
    "tenant",
    value,
    'the id of a tenant (its GUID, in lower case), "common", "organizations" or "consumers"',
  );
}

/**
 * True where the owner of the address's domain is verified, which is promised for every account with the claim:
 * https://learn.microsoft.com/entra/identity-platform/optional-claims-reference (`xms_edov`). Without it an
 * administrator of any tenant writes whose address it likes.
 */
function isProved(said: unknown, isOwnTenant: boolean): boolean {
  if (said === undefined) return isOwnTenant;
  return said === true || said === 1 || said === "1" || said === "true";
}

function readProfile(claims: Profile, at: Date, isOwnTenant: boolean): UserProfile {
  const { tid, sub, name, email, xms_edov: said } = claims;
  return {
    id: `${tid}:${sub}`,
    name: textOf(name),
    email: textOf(email),
    emailVerified: isProved(said, isOwnTenant) ? at : null,
  };
}

/**
 * Sign-in with Microsoft (Entra ID and personal accounts), under the id 'microsoft'.
 * Accounts are known by tenant and `sub`. The token must be signed for the issuer of the tenant that it names, and the
 * tenant must be one that `tenant` lets in. An address is proved where the optional claim `xms_edov` says so; add it to
 * the ID token of the application, together with `email`.
 *
 * @param config Application at Microsoft, with the scope 'openid email profile' by default; or a function that makes it
 * from the environment. Keys that are left out are `MICROSOFT_CLIENT_ID` and `MICROSOFT_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { microsoft } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = microsoft({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function microsoft<Env = unknown>(config?: PresetOptions<MicrosoftConfig, Env>): Provider {
  const preset = {
    id: "microsoft",
    name: "Microsoft",
    logo: LOGO,
    scope: STANDARD_SCOPE,
    clientAuth: "post",
    trustEmail: true,
    keys: ["tenant"],
  } as const;
  return definePreset<MicrosoftConfig, Env>(config, preset, (client, given) => {
    const { tenant: written = "common", trustEmail } = given;
    const tenant = readTenant(written);
    const one = GUID.test(tenant) ? tenant : null;
    const isOwnTenant = trustEmail === true && one !== null && one !== CONSUMERS;
    const keys = createShared((caller) => fetchKeys(`${AT}/${tenant}/discovery/v2.0/keys`, caller));

    function mayEnter(tid: string): boolean {
      if (one !== null) return tid === one;
      return tenant === "common" || tid !== CONSUMERS;
    }

    return createOAuthMethod({
      ...client,
      type: "oidc",
      server: () => ({
        issuer: one && `${AT}/${one}/v2.0`,
        authorization: `${AT}/${tenant}/oauth2/v2.0/authorize`,
        token: `${AT}/${tenant}/oauth2/v2.0/token`,
        userinfo: null,
      }),
      async identify(grant, caller) {
        const tid = namedTenant(grant.tokens.idToken);
        if (tid === null || !mayEnter(tid)) {
          throw invalidResponse("The ID token comes from a tenant that may not sign in");
        }
        const issuer = `${AT}/${tid}/v2.0`;
        const identify = identifyByIdToken({
          client,
          findKeys: async (by, how) => ({
            jwks: keysFor(await keys.get(by, how), { issuer, tid }),
            algorithms: ["RS256"],
          }),
        });
        return await identify({ ...grant, server: { ...grant.server, issuer } }, caller);
      },
      profile: (claims, at) => readProfile(claims, at, isOwnTenant),
    });
  });
}
