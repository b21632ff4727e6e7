// deno-lint-ignore-file camelcase -- the names of OAuth 2.0 and OpenID Connect

/**
 * A local identity provider (OpenID Connect, by oidc-provider) with two people who can sign in by one
 * click: for the demo, so that sign-in at a provider works offline, and for tests.
 *
 * Usage: `deno run -A scripts/identity_provider.ts [--port 4011] [--redirect-uri URL]…`
 *
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { parseArgs } from "node:util";
import OidcProvider from "oidc-provider";
import { createIdentityStores } from "./identity_store.ts";

/** The client that is registered when no other is. */
export const DEMO_CLIENT = { clientId: "demo", clientSecret: "a-secret-for-demonstrations-only" };

/** Somebody who can sign in. */
export interface Person {
  sub: string;
  name: string;
  email: string;
  email_verified: boolean;
  picture?: string;
}

/** People who can sign in unless others are given. */
export const PEOPLE: readonly Person[] = [
  { sub: "ada", name: "Ada Lovelace", email: "ada@example.com", email_verified: true },
  { sub: "grace", name: "Grace Hopper", email: "grace@example.com", email_verified: true },
];

/** Options for an {@linkcode IdentityProvider}. */
export interface IdentityProviderOptions {
  /** Port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** Addresses that may be returned to, for the client of the demonstration. */
  redirectUris?: readonly string[];
  /** Clients beside it, as oidc-provider takes them. */
  clients?: readonly Record<string, unknown>[];
  /** People who can sign in. Default {@linkcode PEOPLE}. */
  people?: readonly Person[];
  /** Statement of the provider about a sign-in there: its proofs, and its time in seconds since 1970. Default: nothing, now. */
  login?: () => { amr?: readonly string[]; ts?: number };
  /** Further configuration of oidc-provider. */
  configuration?: Record<string, unknown>;
}

/** A running provider. */
export interface IdentityProvider {
  /** Its address. */
  issuer: string;
  /** The paths that were asked for, in order. */
  requests: string[];
  close(): Promise<void>;
}

interface Interaction {
  uid: string;
  prompt: { name: string };
  params: { client_id: string };
}

/** The part of oidc-provider, which has no types, that is used here. */
interface OidcServer {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
    options: { mergeWithLastSubmission: boolean },
  ): Promise<void>;
}

interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

interface GrantContext {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
    requestParamOIDCScopes: Set<string>;
    provider: { Grant: new (options: object) => Grant };
  };
}

type OidcConstructor = new (issuer: string, configuration: object) => OidcServer;

/** Everybody who signs in agrees, so that there is no second page. */
async function grantEverything({ oidc }: GrantContext): Promise<Grant> {
  const grant = new oidc.provider.Grant({
    clientId: oidc.client.clientId,
    accountId: oidc.session.accountId,
  });
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(" "));
  await grant.save();
  return grant;
}

const SIGNATURE = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

/** A set of keys that nobody else has. */
async function createKeys(): Promise<object> {
  const { privateKey } = await crypto.subtle.generateKey(SIGNATURE, true, ["sign", "verify"]);
  const { key_ops: _, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
  return { keys: [{ ...jwk, use: "sig", alg: "RS256", kid: crypto.randomUUID() }] };
}

async function configurationOf(options: IdentityProviderOptions): Promise<object> {
  const { redirectUris = [], clients = [], people = PEOPLE, configuration = {} } = options;
  const demo = {
    client_id: DEMO_CLIENT.clientId,
    client_secret: DEMO_CLIENT.clientSecret,
    redirect_uris: redirectUris,
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
  };
  return {
    clients: [...redirectUris.length > 0 ? [demo] : [], ...clients],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "picture"],
    },
    findAccount(_: unknown, sub: string) {
      const person = people.find((candidate) => candidate.sub === sub);
      return person && { accountId: sub, claims: () => Promise.resolve({ ...person }) };
    },
    loadExistingGrant: grantEverything,
    interactions: { url: (_: unknown, { uid }: Interaction) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["a key for demonstrations only"] },
    pkce: { required: () => true },
    adapter: createIdentityStores(),
    jwks: configuration.jwks ?? await createKeys(),
    ttl: { AccessToken: 3600, Grant: 86_400, IdToken: 3600, Interaction: 3600, Session: 86_400 },
    ...configuration,
  };
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function loginPage({ uid, params }: Interaction, people: readonly Person[]): string {
  const buttons = people.map(({ sub, name, email }) =>
    `<p><button name="login" value="${escape(sub)}">${escape(name)} (${escape(email)})</button></p>`
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Local identity provider</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;padding:.5rem 1rem;width:100%}</style></head>
<body><h1>Local identity provider</h1>
<p>Sign in to <b>${escape(params.client_id)}</b> as:</p>
<form method="post" action="/interaction/${escape(uid)}">
${buttons.join("\n")}
<p><button name="cancel" value="yes">Cancel</button></p>
</form></body></html>`;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) break;
  }
  return new URLSearchParams(text);
}

async function interact(
  provider: OidcServer,
  { people = PEOPLE, login }: IdentityProviderOptions,
  exchange: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { request, response } = exchange;
  const details = await provider.interactionDetails(request, response);
  if (request.method !== "POST") {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(loginPage(details, people));
    return;
  }
  const form = await readForm(request);
  const known = people.some(({ sub }) => sub === form.get("login"));
  const result = known
    ? { login: { accountId: form.get("login"), ...login?.() } }
    : { error: "access_denied", error_description: "The person cancelled" };
  await provider.interactionFinished(request, response, result, {
    mergeWithLastSubmission: false,
  });
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a provider. */
export async function startIdentityProvider(
  options: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const requests: string[] = [];
  const server = createServer();
  const port = await listen(server, options.port ?? 0);
  const issuer = `http://127.0.0.1:${port}`;
  const OidcServer = OidcProvider as unknown as OidcConstructor;
  const provider = new OidcServer(issuer, await configurationOf(options));
  const handle = provider.callback();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split("?")[0] ?? "";
    requests.push(path);
    if (path.startsWith("/interaction/")) await interact(provider, options, { request, response });
    else await handle(request, response);
  }

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error) => {
      response.statusCode = 400;
      response.end(error instanceof Error ? error.message : "failed");
    });
  });
  return {
    issuer,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      port: { type: "string", default: "4011" },
      "redirect-uri": { type: "string", multiple: true, default: [] },
    },
  });
  const redirectUris = values["redirect-uri"];
  const { issuer } = await startIdentityProvider({ port: Number(values.port), redirectUris });
  process.stdout.write(`The local identity provider is at ${issuer}\n`);
}
