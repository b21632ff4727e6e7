import { authSchema } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Child, startChild } from "../support/child.ts";
import { framework } from "../support/command_line.ts";
import { findNodeOfLongTermSupport, findOldestNodeOfCommand } from "../support/node.ts";
import type { FixtureApp } from "./fixture_app.ts";
import { createPackedApp } from "./packed_app.ts";

/** Runtimes of a built server. */
export type ServerRuntime = "Node 22" | "Node 24" | "Deno";

/** A built server that listens. */
export interface BuiltServer extends AsyncDisposable {
  port: number;
  /** Its process. */
  child: Child;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Builds an application as one server, with the tables of the authentication as its migration. */
export async function buildServer(
  runtime: ServerRuntime,
  files: Record<string, string>,
): Promise<FixtureApp> {
  // A build loads the library as it is installed, and its sources would be compiled anew in each application.
  const app = await createPackedApp({ "migrations/0001_auth.sql": authSchema.up, ...files });
  const target = runtime === "Deno" ? "deno" : "node";
  const { code, stderr } = await framework(app.root, "build", "--target", target);
  assert.equal(code, 0, stderr);
  return app;
}

/** Starts the program as the guide says, with the arguments behind it. */
export async function startProgram(
  runtime: ServerRuntime,
  { root }: { root: string },
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Child> {
  const [command, before] = runtime === "Deno"
    ? [Deno.execPath(), [
      "run",
      "--allow-net",
      "--allow-read",
      "--allow-write",
      "--allow-env",
    ]]
    : [await nodeOf(runtime), []];
  return startChild(command, [...before, join(root, "dist", "server.js"), ...args], {
    cwd: root,
    env,
  });
}

/** Path of a Node. */
export function nodeOf(runtime: ServerRuntime): Promise<string> {
  return runtime === "Node 22" ? findOldestNodeOfCommand() : findNodeOfLongTermSupport();
}

/** Applies the migrations and starts the server, which answers for localhost on a free port. */
export async function startServer(
  runtime: ServerRuntime,
  app: { root: string },
  env: Record<string, string> = {},
): Promise<BuiltServer> {
  const migrated = await startProgram(runtime, app, { args: ["migrate"], env });
  assert.equal(await migrated.ended, 0, migrated.output());
  return await serve(runtime, app, env);
}

/** Starts the server on a migrated database. */
export async function serve(
  runtime: ServerRuntime,
  app: { root: string },
  env: Record<string, string> = {},
): Promise<BuiltServer> {
  const child = await startProgram(runtime, app, {
    env: { PORT: "0", HOST: "127.0.0.1", ALLOWED_HOSTS: "app.example", ...env },
  });
  const [, port] = await child.waitFor(/listens on 127\.0\.0\.1, port (\d+)/, 30);
  return {
    port: Number(port),
    child,
    fetch: (path, init) =>
      fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init }),
    [Symbol.asyncDispose]: async () => void await child.stop(),
  };
}
