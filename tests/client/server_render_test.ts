import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import { join } from "node:path";
import { compile } from "svelte/compiler";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { capture } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";

const OPTIONS = { ignore: !nodeIsAvailable, sanitizeOps: false, sanitizeResources: false };
const FOLDER = `${repositoryRoot}/tests/client/adapters`;

/** Renders each adapter of the README on a server: `html` is the response. */
const RENDERERS: Record<string, string> = {
  "Greeting.svelte":
    `import { render } from "svelte/server"; import Greeting from "./Greeting.svelte";
const html = render(Greeting).body;`,
  "react.ts": `import { createElement as h } from "react";
import { renderToString } from "react-dom/server"; import { useAuth } from "./react.ts";
function Greeting() { const { status, user } = useAuth();
return h("p", null, status + " " + (user?.name ?? "")); }
const html = renderToString(h(Greeting));`,
  "vue.ts":
    `import { createSSRApp, h } from "vue"; import { renderToString } from "vue/server-renderer";
import { useAuth } from "./vue.ts";
const html = await renderToString(createSSRApp({ setup() { const auth = useAuth();
return () => h("p", auth.value.status + " " + (auth.value.user?.name ?? "")); } }));`,
};

const SVELTE: esbuild.Plugin = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const source = await Deno.readTextFile(path);
      const { js } = compile(source, { filename: path, generate: "server" });
      return { contents: js.code, loader: "js" };
    });
  },
};

/** Bundles a script as the server half of an application, for Node. */
async function bundleServer(source: string): Promise<string> {
  const { outputFiles: [file] } = await esbuild.build({
    absWorkingDir: repositoryRoot,
    stdin: { contents: source, resolveDir: FOLDER, sourcefile: "server.ts", loader: "ts" },
    alias: await workspaceAlias(),
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["node"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
    },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [SVELTE],
    logLevel: "silent",
  });
  await esbuild.stop();
  return file!.text;
}

// Tracks: AU-01
for (const [name, render] of Object.entries(RENDERERS)) {
  if (name !== "react.ts" && !inMatrix) continue;
  Deno.test(`${name} renders on a server, where the store asks nobody`, OPTIONS, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const file = join(folder, "server.mjs");
      await Deno.writeTextFile(
        file,
        await bundleServer(`const asked = [];
globalThis.fetch = async (input) => { asked.push(String(input)); return Response.json(null); };
${render}
await new Promise((done) => setTimeout(done));
console.log(JSON.stringify({ html, asked }));`),
      );
      const { oldest } = await findNodes();
      // It ends by itself: a store that waited for something would keep the process.
      const { stdout } = await capture(oldest, [file]);
      const { html, asked } = JSON.parse(stdout);
      assert.match(html, /<p>loading ?<\/p>/);
      assert.deepEqual(asked, []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
