/**
 * The identity provider of the demo: a program of this machine that the application is told about.
 *
 * @module
 */

import { join } from "node:path";
import { setDevVar } from "../cli/platform/secrets.ts";
import type { IdentityProvider } from "./identity_provider.ts";

/** Id of the provider in the starter application: the name of its file. */
const PROVIDER = "company";
/** First port that `framework dev` tries, and the number of its tries. */
const FIRST_PORT = 8787;
const PORTS = 100;

/**
 * Origins that the application may be served at, so that the provider may send people back there.
 */
function possibleOrigins(port: string | undefined): string[] {
  const ports = port === undefined
    ? Array.from({ length: PORTS }, (_, index) => FIRST_PORT + index)
    : [port];
  return ports.map((port) => `http://localhost:${port}`);
}

/** oidc-provider warns that it does not know this runtime, which is of no use to anybody here. */
async function withoutWarnings<Result>(work: () => Promise<Result>): Promise<Result> {
  const shown = globalThis.console.warn;
  globalThis.console.warn = () => {};
  try {
    return await work();
  } finally {
    globalThis.console.warn = shown;
  }
}

/**
 * Starts a provider on a free port of this machine's loopback address, and writes into the application's
 * `.dev.vars` where it is.
 *
 * @param folder The application's folder.
 * @param options.port The port at which the application will be; undefined for the usual one or the next free.
 */
export async function startDemoProvider(
  folder: string,
  { port }: { port: string | undefined },
): Promise<IdentityProvider> {
  const { provider, client } = await withoutWarnings(async () => {
    const { DEMO_CLIENT, startIdentityProvider } = await import("./identity_provider.ts");
    const redirectUris = possibleOrigins(port).map((origin) =>
      `${origin}/auth/callback/${PROVIDER}`
    );
    return { provider: await startIdentityProvider({ redirectUris }), client: DEMO_CLIENT };
  });
  const file = join(folder, ".dev.vars");
  const variables = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.clientId,
    OIDC_CLIENT_SECRET: client.clientSecret,
  };
  let text = await Deno.readTextFile(file);
  for (const [name, value] of Object.entries(variables)) text = setDevVar(text, name, value);
  await Deno.writeTextFile(file, text);
  return provider;
}
