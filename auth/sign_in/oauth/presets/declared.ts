/**
 * Presets of providers of OAuth 2.0 with documented endpoints: where they are, and how they say who somebody is.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { isOptions, readFlag } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import type { UserProfile } from "../../../types/user.ts";
import { type Caller, getJson } from "../request.ts";
import type { OAuthGrant } from "../client.ts";
import { readClaims } from "../oidc.ts";
import { identifyByUserinfo, textOf } from "../userinfo.ts";
import {
  defineDeclaredPreset,
  type PresetConfig,
  type PresetOptions,
  tokenCalls,
} from "./preset.ts";

/** The parts of an answer that is an object, or of nothing. */
function partsOf(value: unknown): Profile {
  return isOptions(value) ? value : {};
}

/**
 * Sign-in with LinkedIn, under the id 'linkedin'.
 * Accounts are known by `sub`, which is another one for each application. LinkedIn knows no nonce and refuses the
 * verifier of PKCE from web applications: `state` binds the answer to the browser.
 *
 * @param config Application at LinkedIn, with the scope 'openid profile email' by default; or a function that makes it
 * from the environment. Keys that are left out are `LINKEDIN_CLIENT_ID` and `LINKEDIN_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { linkedin } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = linkedin({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function linkedin<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "linkedin",
    name: "LinkedIn",
    scope: "openid profile email",
    clientAuth: "post",
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: "https://www.linkedin.com/oauth",
      authorization: "https://www.linkedin.com/oauth/v2/authorization",
      token: "https://www.linkedin.com/oauth/v2/accessToken",
      userinfo: "https://api.linkedin.com/v2/userinfo",
    },
    callerOf: tokenCalls({
      send: (fields) => fields.delete("code_verifier"),
      // It may leave out the type, and has no other.
      read: (body) => body.token_type ??= "bearer",
    }),
    profile: readClaims,
  }));
}

/**
 * Sign-in with X, under the id 'x', without an address: X tells none.
 * Accounts are known by `id`; the name with the at sign can be given away and counts for nothing.
 *
 * @param config Application at X, with the scope 'users.read tweet.read' by default; or a function that makes it from
 * the environment. Keys that are left out are `X_CLIENT_ID` and `X_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { x } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = x({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function x<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "x",
    name: "X",
    scope: "users.read tweet.read",
    clientAuth: "basic",
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://x.com/i/oauth2/authorize",
      token: "https://api.x.com/2/oauth2/token",
      userinfo: "https://api.x.com/2/users/me?user.fields=profile_image_url",
    },
    profile(said) {
      const { id, name, username, profile_image_url: image } = partsOf(said.data);
      return { id: id as string, name: textOf(name) ?? textOf(username), image: textOf(image) };
    },
  }));
}

/**
 * Sign-in with Spotify, under the id 'spotify'. Its address is never proved: Spotify itself says so.
 * Accounts are known by `id`.
 *
 * @param config Application at Spotify, with the scope 'user-read-email' by default; or a function that makes it from
 * the environment. Keys that are left out are `SPOTIFY_CLIENT_ID` and `SPOTIFY_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { spotify } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = spotify({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function spotify<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "spotify",
    name: "Spotify",
    scope: "user-read-email",
    clientAuth: "basic",
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://accounts.spotify.com/authorize",
      token: "https://accounts.spotify.com/api/token",
      userinfo: "https://api.spotify.com/v1/me",
    },
    profile({ id, display_name: name, email, images }) {
      const image = partsOf(Array.isArray(images) ? images[0] : null).url;
      return {
        id: id as string,
        name: textOf(name),
        email: textOf(email),
        image: textOf(image),
      };
    },
  }));
}

/** Options for {@linkcode paypal}. */
export interface PayPalConfig extends PresetConfig {
  /** Uses the sandbox, whose people and money are not real. Default false. */
  sandbox?: boolean;
}

/**
 * Sign-in with PayPal, under the id 'paypal'.
 * Accounts are known by `user_id`.
 *
 * @param config Application at PayPal, with the scope 'openid profile email' by default; or a function that makes it
 * from the environment. Keys that are left out are `PAYPAL_CLIENT_ID` and `PAYPAL_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { paypal } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = paypal({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function paypal<Env = unknown>(config?: PresetOptions<PayPalConfig, Env>): Provider {
  const preset = {
    id: "paypal",
    name: "PayPal",
    scope: "openid profile email",
    clientAuth: "basic",
    keys: ["sandbox"],
  } as const;
  return defineDeclaredPreset(config, preset, ({ sandbox }) => {
    const isSandbox = readFlag(sandbox, "sandbox") ?? false;
    const [page, api] = isSandbox
      ? ["www.sandbox.paypal.com", "api-m.sandbox.paypal.com"]
      : ["www.paypal.com", "api-m.paypal.com"];
    return {
      server: {
        issuer: null,
        authorization: `https://${page}/signin/authorize`,
        token: `https://${api}/v1/oauth2/token`,
        userinfo: `https://${api}/v1/identity/oauth2/userinfo?schema=paypalv1.1`,
      },
      profile({ user_id: id, name, emails }, at) {
        const list = Array.isArray(emails) ? emails.filter(isOptions) : [];
        const { value, confirmed } = partsOf(list.find((item) => item.primary === true));
        return {
          id: id as string,
          name: textOf(name),
          email: textOf(value),
          emailVerified: confirmed === true ? at : null,
        };
      },
    };
  });
}

async function identifyAtBitbucket(grant: OAuthGrant, caller: Caller): Promise<Profile> {
  const said = await identifyByUserinfo(grant, caller);
  const { accessToken } = grant.tokens;
  const url = "https://api.bitbucket.org/2.0/user/emails";
  const { values } = partsOf(await getJson(url, caller, { token: accessToken }));
  const list = Array.isArray(values) ? values.filter(isOptions) : [];
  const { email, is_confirmed: confirmed } = partsOf(list.find((item) => item.is_primary === true));
  return { ...said, email, email_verified: confirmed };
}

/**
 * Sign-in with Bitbucket, under the id 'bitbucket'.
 * Accounts are known by `uuid`: names can be changed and taken by others.
 *
 * @param config OAuth consumer at Bitbucket, with the scope 'account email' by default, both of which it needs; or a
 * function that makes it from the environment. Keys that are left out are `BITBUCKET_CLIENT_ID` and
 * `BITBUCKET_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { bitbucket } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = bitbucket({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function bitbucket<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "bitbucket",
    name: "Bitbucket",
    scope: "account email",
    clientAuth: "basic",
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://bitbucket.org/site/oauth2/authorize",
      token: "https://bitbucket.org/site/oauth2/access_token",
      userinfo: "https://api.bitbucket.org/2.0/user",
    },
    identify: identifyAtBitbucket,
    profile({ uuid, display_name: name, email, email_verified: verified, links }, at) {
      return {
        id: uuid as string,
        name: textOf(name),
        email: textOf(email),
        image: textOf(partsOf(partsOf(links).avatar).href),
        emailVerified: verified === true ? at : null,
      };
    },
  }));
}

/**
 * Sign-in with Figma, under the id 'figma'.
 * Accounts are known by `id`.
 *
 * @param config Application at Figma, with the scope 'current_user:read' by default; or a function that makes it from
 * the environment. Keys that are left out are `FIGMA_CLIENT_ID` and `FIGMA_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { figma } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = figma({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function figma<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "figma",
    name: "Figma",
    scope: "current_user:read",
    clientAuth: "basic",
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://www.figma.com/oauth",
      token: "https://api.figma.com/v1/oauth/token",
      userinfo: "https://api.figma.com/v1/me",
    },
    callerOf: tokenCalls({
      refreshAt: "https://api.figma.com/v1/oauth/refresh",
      // It may leave out the type, and has no other.
      read: (body) => body.token_type ??= "bearer",
    }),
    profile: ({ id, handle, email, img_url: image }) => ({
      id: id as string,
      name: textOf(handle),
      email: textOf(email),
      image: textOf(image),
    }),
  }));
}

/**
 * Sign-in with Atlassian, under the id 'atlassian'.
 * Accounts are known by `account_id`.
 *
 * @param config OAuth 2.0 integration at Atlassian, with the scope 'read:me' by default; or a function that makes it
 * from the environment. Keys that are left out are `ATLASSIAN_CLIENT_ID` and `ATLASSIAN_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { atlassian } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = atlassian({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function atlassian<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "atlassian",
    name: "Atlassian",
    scope: "read:me",
    clientAuth: "post",
    parameters: { audience: "api.atlassian.com", prompt: "consent" },
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://auth.atlassian.com/authorize",
      token: "https://auth.atlassian.com/oauth/token",
      userinfo: "https://api.atlassian.com/me",
    },
    callerOf: tokenCalls({ asJson: true }),
    profile: ({ account_id: id, name, email, picture }) => ({
      id: id as string,
      name: textOf(name),
      email: textOf(email),
      image: textOf(picture),
    }),
  }));
}

/**
 * Sign-in with Zoom, under the id 'zoom'.
 * Accounts are known by `id`.
 *
 * @param config App at Zoom, which holds its scopes: it needs 'user:read:user'; or a function that makes it from the
 * environment. Keys that are left out are `ZOOM_CLIENT_ID` and `ZOOM_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { zoom } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = zoom({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function zoom<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = { id: "zoom", name: "Zoom", clientAuth: "basic" } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://zoom.us/oauth/authorize",
      token: "https://zoom.us/oauth/token",
      userinfo: "https://api.zoom.us/v2/users/me",
    },
    profile: ({ id, display_name: name, email, pic_url: image, verified }, at): UserProfile => ({
      id: id as string,
      name: textOf(name),
      email: textOf(email),
      image: textOf(image),
      // A number there.
      emailVerified: verified === 1 ? at : null,
    }),
  }));
}
