import type { Account } from "../callbacks/callbacks.ts";
import { type Definition, resolveDefinition } from "../config/definition.ts";
import type { Settings } from "../config/settings.ts";
import type { EndpointEntry } from "../http/endpoint.ts";
import type { Linking } from "../oauth/linking.ts";
import type { AccountGuard } from "../rate_limit/account_guard.ts";
import type { Html } from "../http/html.ts";
import type { CredentialsField } from "./credentials_config.ts";

/** What the form of a sign-in method is made from. */
export interface SignInForm {
  /** Where the endpoints are. */
  basePath: string;
  /** Where to go after sign-in; it has passed the redirect guard. */
  callbackUrl: string | null;
  /** What the visitor had typed, without secrets. */
  values: ReadonlyMap<string, string>;
}

/** A field of a form: how it is labelled, its name, and whether it must be filled in. */
export type SignInField = CredentialsField & { key: string; required: boolean };

/** A form that is sent to `/signin/<id>`, for the pages to draw. */
export interface PlainForm {
  /** What is asked for. Default: nothing. */
  fields?: readonly SignInField[];
  /** What its button says. */
  submit: string;
}

/** A way to sign in, checked. It brings its endpoints along, so that nothing of an unused one is bundled. */
export interface SignInMethod {
  /** Which kind of account it proves. */
  type: Account["type"];
  /** Its name in addresses. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** What it answers. */
  endpoints: readonly EndpointEntry[];
  /** Its part of the sign-in page: what is drawn for it, or markup of its own. */
  form: PlainForm | ((form: SignInForm) => Html);
  /** What tells owners from those who guess, for a way to sign in at which somebody can. Default: nothing. */
  guard?: AccountGuard;
  /** Paths below `basePath` of scripts that its form needs. Default: none. */
  scripts?: readonly string[];
  /**
   * Says what it needs of the other options.
   *
   * @throws {ConfigurationError} When that is missing.
   */
  check?(settings: Settings): void;
}

/** Endpoints that are no way to sign in, such as those of the account page. */
export interface EndpointModule extends Pick<SignInMethod, "id" | "check"> {
  /** What it answers in an application of these settings. */
  endpoints(settings: Settings): readonly EndpointEntry[];
  /** How accounts at providers are linked to a signed-in user. Default: they are not. */
  linking?: Linking;
}

/** True for what a page can offer to sign in with. */
export function isMethod(module: SignInMethod | EndpointModule): module is SignInMethod {
  return "form" in module;
}

/** A way to sign in, as the provider factories make it. */
export interface Provider {
  /** Tells a provider from other objects. */
  readonly kind: "provider";
  /**
   * What it is made of, for the library: a {@linkcode SignInMethod}, or a function that makes it from the
   * environment, where null is none.
   */
  readonly definition: unknown;
}

/** The provider of one way to sign in, by its configuration or by a function that makes one from the environment. */
export function defineMethod<Config, Env>(
  config: Config | ((env: Env) => Config),
  read: (config: Config) => SignInMethod,
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: read(config) };
  const make = config as (env: Env) => Config;
  return { kind: "provider", definition: (env: Env): SignInMethod => read(make(env)) };
}

/** The checked method of a provider in this environment; null when it is not set up there. */
export function resolveMethod(
  provider: Provider,
  env: unknown,
): SignInMethod | EndpointModule | null {
  return resolveDefinition(
    provider.definition as Definition<SignInMethod | EndpointModule | null>,
    env,
  );
}

/** True for what a provider factory returned. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && "kind" in value &&
    value.kind === "provider" &&
    "definition" in value;
}
