import type { FetchApplication } from "@framework/testing";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { findNodes } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";

/** A project of tests/doors, and how what its build wrote becomes a `fetch`. */
interface Built {
  /** Arguments of Node. */
  build: string[];
  /** Files that are laid over the project: its mails go to a server, which a test can answer for. */
  over: Record<string, string>;
  open(folder: string): Promise<FetchApplication>;
}

const MAIL = `export async function sendMail(mail) {
  await fetch("https://mailer.example/send", { method: "POST", body: JSON.stringify(mail) });
}
`;

async function load(folder: string, file: string): Promise<Record<string, unknown>> {
  return await import(pathToFileURL(join(folder, file)).href);
}

interface SvelteKitServer {
  init(options: { env: Record<string, string> }): Promise<void>;
  respond(request: Request, options: { getClientAddress(): string }): Promise<Response>;
}

/** Projects by their folder in tests/doors. */
export const BUILT: Record<string, Built> = {
  sveltekit: {
    build: ["node_modules/vite/bin/vite.js", "build"],
    over: { "src/lib/server/mail.ts": MAIL },
    async open(folder) {
      const server = (await load(folder, "build/server/server.js"))["server"] as SvelteKitServer;
      await server.init({ env: Deno.env.toObject() });
      return (request) => server.respond(request, { getClientAddress: () => "192.0.2.1" });
    },
  },
  astro: {
    build: ["node_modules/astro/bin/astro.mjs", "build", "--silent"],
    over: {
      "src/lib/mail.ts": MAIL,
      // Its adapter for Node makes a server of the application; this one leaves it a `fetch`.
      "server.mjs": `import { createApp } from "astro/app/entrypoint";
const app = createApp();
export const fetch = (request) => app.render(request, { clientAddress: "192.0.2.1" });
`,
      "astro.config.mjs": `import { defineConfig } from "astro/config";
import { fileURLToPath } from "node:url";

const adapter = {
  name: "fetch",
  entrypointResolution: "auto",
  serverEntrypoint: fileURLToPath(new URL("./server.mjs", import.meta.url)),
  adapterFeatures: { buildOutput: "server" },
  supportedAstroFeatures: { serverOutput: "stable" },
};

export default defineConfig({
  output: "server",
  adapter: {
    name: "fetch",
    hooks: { "astro:config:done": ({ setAdapter }) => setAdapter(adapter) },
  },
  security: { checkOrigin: false },
});
`,
    },
    async open(folder) {
      return (await load(folder, "dist/server/entry.mjs")) as unknown as FetchApplication;
    },
  },
};

const COPIES = fileURLToPath(new URL("../output/projects/", import.meta.url));

/** Installs and builds a project, and opens its application. */
export async function openBuilt(
  name: string,
): Promise<{ handler: FetchApplication; remove(): Promise<void> }> {
  const { build, over, open } = BUILT[name]!;
  await mkdir(COPIES, { recursive: true });
  const folder = await mkdtemp(COPIES);
  await cp(fileURLToPath(new URL(`../doors/${name}`, import.meta.url)), folder, {
    recursive: true,
  });
  for (const [file, text] of Object.entries(over)) await writeFile(join(folder, file), text);
  await installWithNpm(folder, await buildPackages({ gate: false }));
  const env = { BASE_URL: "http://localhost", DATABASE: ":memory:" };
  await run((await findNodes()).newest, build, { cwd: folder, env });
  for (const [key, value] of Object.entries(env)) Deno.env.set(key, value);
  return { handler: await open(folder), remove: () => rm(folder, { recursive: true }) };
}
