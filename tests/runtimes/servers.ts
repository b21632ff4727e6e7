import { Miniflare } from "miniflare";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { authSchema } from "@framework/auth/storage";
import { bundleEntries } from "../support/bundle.ts";
import { type Child, startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { findNodes } from "../support/node.ts";
import { until } from "../support/until.ts";
import { workerModules } from "./runtimes.ts";

/** An example of the README, served by the runtime that it is for. */
export interface Server {
  name: string;
  port: number;
  origin: string;
  /** Its process, when it has one of its own. */
  pid?: number;
  /** Output so far. */
  output(): string;
  close(): Promise<void>;
}

/** Path of an example. */
export function examplePath(file: string): string {
  return fileURLToPath(new URL(`./examples/${file}`, import.meta.url));
}

async function untilListening(port: number, output: () => string): Promise<void> {
  await until(
    async () => {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    },
    () => `Nobody listens on ${port}:\n${output()}`,
  );
}

async function processServer(
  name: string,
  start: (port: number) => Promise<{ child: Child; remove(): Promise<void> }>,
): Promise<Server> {
  const port = freePort();
  const { child, remove } = await start(port);
  await untilListening(port, child.output);
  return {
    name,
    port,
    origin: `http://localhost:${port}`,
    pid: child.pid,
    output: child.output,
    async close() {
      await child.stop();
      await remove();
    },
  };
}

/** Serves an example that calls `Deno.serve`, or one that exports a `fetch` function. */
export function serveOnDeno(file: string, options: { exported: boolean }): Promise<Server> {
  return processServer(`${file} on Deno`, (port) => {
    const args = options.exported
      ? ["serve", "-A", "--host", "127.0.0.1", "--port", String(port), examplePath(file)]
      : ["run", "-A", examplePath(file)];
    const env = {
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
      BASE_URL: `http://localhost:${port}`,
    };
    const child = startChild(Deno.execPath(), args, { cwd: Deno.cwd(), env });
    return Promise.resolve({ child, remove: () => Promise.resolve() });
  });
}

/** Serves an example by Node. */
export function serveOnNode(file: string, version: "oldest" | "newest"): Promise<Server> {
  return processServer(`${file} on ${version} Node`, async (port) => {
    const folder = await Deno.makeTempDir({ prefix: "framework-example-" });
    const [bundle] = await bundleEntries([examplePath(file)]);
    const program = join(folder, bundle!.name);
    await Deno.writeTextFile(program, bundle!.text);
    const env = { PORT: String(port), BASE_URL: `http://localhost:${port}` };
    const child = startChild((await findNodes())[version], [program], { cwd: folder, env });
    return { child, remove: () => Deno.remove(folder, { recursive: true }) };
  });
}

/** Serves an example by workerd, with the tables in its D1 database. */
export async function serveOnWorkerd(file: string): Promise<Server> {
  const files = await bundleEntries([examplePath(file)], { minify: true });
  const decoder = new TextDecoder();
  let printed = "";
  const miniflare = new Miniflare({
    modules: workerModules(files, files[0]!.name),
    modulesRoot: "/",
    host: "127.0.0.1",
    port: 0,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: { DB: "auth" },
    // What workerd itself refuses it complains about at length.
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) {
        stream.on("data", (chunk: Uint8Array) => printed += decoder.decode(chunk));
      }
    },
  });
  const { port } = await miniflare.ready;
  const database = await miniflare.getD1Database("DB");
  const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter((sql) =>
    sql !== ""
  );
  await database.batch(statements.map((sql) => database.prepare(sql)));
  return {
    name: `${file} on workerd`,
    port: Number(port),
    origin: `http://localhost:${port}`,
    output: () => printed,
    close: () => miniflare.dispose(),
  };
}
