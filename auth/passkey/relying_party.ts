import { wrongOption } from "../config/check.ts";
import { isLoopbackHost } from "../http/own_origin.ts";
import type { CheckedPasskey } from "../providers/passkey_config.ts";
import type { RequestAuth } from "../http/contracts.ts";

/** What an answer is checked against. */
export interface RelyingParty extends Pick<CheckedPasskey, "rpId" | "userVerification"> {
  /** The origins from which it may come. */
  origin: readonly string[];
}

const DOMAIN =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

function parse(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/**
 * Checks the option `rpId`: a domain in the form in which browsers write it. No address of a machine can be
 * one (WebAuthn Level 3, 5.1.3 step 7), nor can a top-level domain, which everybody shares.
 *
 * @throws {ConfigurationError} When it is not.
 */
export function readRpId(value: unknown): string {
  const isDomain = typeof value === "string" && DOMAIN.test(value) &&
    parse(`https://${value}/`)?.hostname === value && !/^[\d.]+$/.test(value) &&
    (value.includes(".") || value === "localhost");
  if (!isDomain) {
    throw wrongOption(
      "rpId",
      value,
      'a domain in lower case, such as "app.example", and no address',
    );
  }
  return value;
}

function readOrigin(value: unknown, rpId: string): string {
  const url = typeof value === "string" ? parse(value) : null;
  if (url === null || url.origin !== value) {
    throw wrongOption("origin", value, 'an origin as browsers write it: "https://app.example"');
  }
  const { hostname, protocol } = url;
  if (protocol !== "https:" && !(protocol === "http:" && isLoopbackHost(hostname))) {
    throw wrongOption(
      "origin",
      value,
      "an origin with https; browsers take http only on localhost",
    );
  }
  if (hostname !== rpId && !hostname.endsWith(`.${rpId}`)) {
    throw wrongOption(
      "origin",
      value,
      `an origin whose host is "${rpId}" or below it, or another rpId`,
    );
  }
  return value as string;
}

/**
 * Checks the option `origin` against the domain.
 *
 * @throws {ConfigurationError} When one of them is no origin, or the domain is not its own.
 */
export function readOrigins(value: unknown, rpId: string): string[] {
  const origins = Array.isArray(value) ? value : [value];
  if (origins.length === 0) throw wrongOption("origin", value, "at least one origin");
  return origins.map((origin) => readOrigin(origin, rpId));
}

/** The relying party of a request: without configured origins, the own address is the only one. */
export function relyingParty(config: CheckedPasskey, auth: RequestAuth): RelyingParty {
  const { rpId, userVerification } = config;
  return { rpId, userVerification, origin: config.origin ?? [auth.origin()] };
}
