/**
 * Measures the client in a browser beside those of other libraries: minified bundles, as applications load them.
 * The others are installed by npm into a temporary folder.
 *
 * Usage: `deno run -A scripts/bench/client_bundles.ts`
 *
 * @module
 */

import * as esbuild from "esbuild";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { workspaceAlias } from "../budgets.ts";
import { capture } from "../run_command.ts";

const PEERS = ["better-auth@1.7.25", "next-auth@4.24.15", "react@19.3.1"];

/** What an application writes to sign in, to sign out and to know who is signed in. */
const CLIENTS: Record<string, string> = {
  "@framework/auth/client":
    `export { createAuthStore, getSession, signIn, signOut } from "@framework/auth/client";`,
  "@framework/auth/client, without the store":
    `export { getSession, signIn, signOut } from "@framework/auth/client";`,
  "@framework/auth/client with client-passkey":
    `export * from "@framework/auth/client"; export * from "@framework/auth/client-passkey";`,
  "@framework/auth/client in React": `import { createAuthStore } from "@framework/auth/client";
import { useSyncExternalStore } from "react"; const auth = createAuthStore();
export { signIn, signOut } from "@framework/auth/client";
export const useAuth = () => useSyncExternalStore(auth.subscribe, auth.getState, auth.getState);`,
  "better-auth/client": `import { createAuthClient } from "better-auth/client";
export const { signIn, signOut, getSession, useSession } = createAuthClient();`,
  "better-auth/react": `import { createAuthClient } from "better-auth/react";
export const { signIn, signOut, getSession, useSession } = createAuthClient();`,
  "next-auth/react":
    `export { getSession, SessionProvider, signIn, signOut, useSession } from "next-auth/react";`,
};

async function measure(folder: string, contents: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: folder },
    alias: await workspaceAlias(),
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    external: ["react", "react-dom", "react/jsx-runtime"],
    logLevel: "silent",
  });
  const [{ contents: bytes }] = outputFiles as [esbuild.OutputFile];
  const compressed = gzipSync(bytes, { level: 9 }).length;
  return `${String(bytes.length).padStart(7)} bytes, ${String(compressed).padStart(6)} compressed`;
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "framework-clients-" });
  try {
    await Deno.writeTextFile(join(folder, "package.json"), '{ "type": "module" }');
    // Without the packages that these would only like to have beside them.
    const how = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"];
    const installed = await capture("npm", ["install", ...how, ...PEERS], { cwd: folder });
    if (installed.code !== 0) throw new Error(installed.stderr);
    for (const [name, contents] of Object.entries(CLIENTS)) {
      process.stdout.write(`${await measure(folder, contents)}  ${name}\n`);
    }
    await esbuild.stop();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
