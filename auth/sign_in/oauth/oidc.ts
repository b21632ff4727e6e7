/**
 * oidcProvider(), for OpenID Connect.
 *
 * @module
 */

import { defineMethod, type Provider } from "../../core/provider.ts";
import type { OAuthTokens } from "../../core/oauth_contracts.ts";
import { gateOf } from "../../core/request.ts";
import { fromBase64UrlText } from "../../lib/encoding.ts";
import { optionsAt, wrongOption } from "../../lib/options.ts";
import type { Profile } from "../../types/callbacks.ts";
import type { UserProfile } from "../../types/user.ts";
import type { Caller } from "./request.ts";
import type { CommonClient } from "./client.ts";
import {
  type OidcProviderConfig,
  type ProviderSecondFactor,
  readCommon,
  readEndpoint,
  readKeys,
} from "./options.ts";
import { createDiscovery } from "./discovery.ts";
import { identifyByIdToken } from "./id_token.ts";
import { createOAuthMethod, type OAuthMethod, readPrivateHttp, warnOfHttp } from "./provider.ts";
import { textOf } from "./userinfo.ts";

// Milliseconds by which the clocks may differ.
const CLOCKS = 60_000;

// Proofs of RFC 8176, 2 that are the first factor, or tell where somebody is.
const NO_SECOND = ["pwd", "pin", "kba", "geo", "rba", "user", "wia"];

/** Checks the option `secondFactor`. */
function readSecondFactor(given: unknown): Required<ProviderSecondFactor> {
  const { amr, maxAge = 600 } = optionsAt(given, "secondFactor", ["amr", "maxAge"]);
  const counts: unknown[] = Array.isArray(amr) ? [...amr] : [];
  if (counts.length === 0 || !counts.every((one) => one && typeof one === "string")) {
    throw wrongOption("secondFactor.amr", amr, 'values of its claim "amr", such as ["mfa"]');
  }
  const single = counts.find((one) => NO_SECOND.includes(one as string));
  if (single !== undefined) {
    throw wrongOption("secondFactor.amr", single, "values that are said after two factors alone");
  }
  if (!Number.isInteger(maxAge) || (maxAge as number) < 1) {
    throw wrongOption("secondFactor.maxAge", maxAge, "a number of seconds");
  }
  return { amr: counts as string[], maxAge: maxAge as number };
}

/** Remembers of whom the provider says in which sign-in that they have proved two factors to it. */
function believeFactors(given: unknown): {
  identified: NonNullable<OidcDetails["identified"]>;
  counts(method: OAuthMethod): OAuthMethod;
} {
  const { amr, maxAge } = readSecondFactor(given);
  const proved = new WeakMap<Profile, number>();
  return {
    identified(profile, { idToken }, now) {
      // What the provider has signed, which has been checked: userinfo is not about this sign-in.
      const said = Object(JSON.parse(fromBase64UrlText(idToken!.split(".")[1]!) ?? "{}"));
      const at = typeof said.auth_time === "number" ? said.auth_time * 1000 : NaN;
      const isRecent = at <= now + CLOCKS && now - at <= maxAge * 1000;
      const proofs: unknown[] = Array.isArray(said.amr) ? said.amr : [];
      if (isRecent && amr.some((one) => proofs.includes(one))) {
        proved.set(profile, Math.min(at, now));
      }
    },
    counts: (method) => ({
      ...method,
      twoFactorsAt: (profile) => proved.get(profile) ?? null,
      check(settings) {
        method.check?.(settings);
        if (gateOf(settings) !== undefined) return;
        throw wrongOption("secondFactor", given, "secondFactor() among the providers as well");
      },
    }),
  };
}

function createMethod(given: OidcProviderConfig): OAuthMethod {
  const config = readKeys<OidcProviderConfig>(given, [
    "issuer",
    "prompt",
    "profile",
    "insecureHttp",
    "secondFactor",
  ]);
  const { scope = STANDARD_SCOPE, prompt, profile, secondFactor } = config;
  if (!String(scope).split(" ").includes("openid")) {
    throw wrongOption("scope", scope, 'scopes with "openid" among them');
  }
  if (prompt !== undefined && typeof prompt !== "string") {
    throw wrongOption("prompt", prompt, 'a text such as "login"');
  }
  if (profile !== undefined && typeof profile !== "function") {
    throw wrongOption("profile", profile, "a function that makes a user of the claims");
  }
  const client = readCommon({ ...config, scope });
  const http = readPrivateHttp(config.insecureHttp, [config.issuer]);
  const issuer = readEndpoint(config.issuer, "issuer", http?.allows);
  const parameters = { ...client.parameters, ...prompt !== undefined && { prompt } };
  const callers = http !== null && { callerOf: http.callerOf };
  const factors = secondFactor === undefined ? null : believeFactors(secondFactor);
  const method = createOidcMethod({ ...client, ...callers, parameters }, {
    issuer,
    ...profile !== undefined && { profile: (claims) => profile.call(config, claims) },
    ...factors !== null && { identified: factors.identified },
  });
  return warnOfHttp(factors?.counts(method) ?? method, http);
}

/**
 * Sign-in at a provider of OpenID Connect, which describes itself at
 * `<issuer>/.well-known/openid-configuration`. The description and the keys are fetched when they are
 * first needed and cached for five minutes.
 *
 * @param config The provider, or a function that makes it from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createOidcProvider } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const provider = createOidcProvider((env: { CLIENT_SECRET: string }) => ({
 *   id: "example",
 *   name: "Example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: env.CLIENT_SECRET,
 * }));
 * equal(provider.kind, "provider");
 * ```
 */
export function createOidcProvider<Env = unknown>(
  config: OidcProviderConfig | ((env: Env) => OidcProviderConfig),
): Provider {
  return defineMethod(config, createMethod);
}

/** Makes a user of the standard claims (OpenID Connect Core, 5.1), whose `email_verified` is a boolean. */
export function readClaims(claims: Profile, at: Date): UserProfile {
  const { sub, email, name, picture, email_verified: verified } = claims;
  return {
    id: sub as string,
    email: textOf(email),
    name: textOf(name),
    image: textOf(picture),
    emailVerified: verified === true ? at : null,
  };
}

/** Default scope. */
export const STANDARD_SCOPE = "openid email profile";

/** Provider-specific details for an OpenID provider. */
export interface OidcDetails {
  /** The provider, exactly as it writes itself. */
  issuer: string;
  /**
   * True when the ID token contains all claims, so that userinfo is not requested. Default false.
   */
  complete?: boolean;
  /** Reads further claims from the authorization response. Signed claims take precedence. */
  readAnswer?(fields: ReadonlyMap<string, string>): Profile;
  /** Makes a user of the claims. Default: of the standard ones. */
  profile?(claims: Profile, at: Date): UserProfile;
  /** Told what has been identified, by which tokens and when. */
  identified?(profile: Profile, tokens: OAuthTokens, now: number): void;
}

/** Makes a provider that describes itself. */
export function createOidcMethod(
  client: CommonClient,
  { issuer, complete = false, readAnswer, profile = readClaims, identified }: OidcDetails,
): OAuthMethod {
  const discovery = createDiscovery(issuer);
  const identify = identifyByIdToken({
    client,
    findKeys: async (caller, how) => (await discovery.get(caller, how)).keys,
  });
  const callerOf = (caller: Caller) => client.callerOf?.(caller) ?? caller;
  return createOAuthMethod({
    ...client,
    type: "oidc",
    async server(caller) {
      const { server } = await discovery.get(callerOf(caller));
      return complete ? { ...server, userinfo: null } : server;
    },
    async identify(grant, caller) {
      const profile = {
        ...readAnswer?.(grant.fields),
        ...await identify(grant, callerOf(caller)),
      };
      identified?.(profile, grant.tokens, caller.now());
      return profile;
    },
    profile,
    bySubject: profile === readClaims,
  });
}
