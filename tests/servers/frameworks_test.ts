// The set-ups for frameworks that docs/servers.md shows, built by these frameworks and served by Node.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { readJson, repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, installNpm, nodeIsAvailable } from "../support/node.ts";
import { until } from "../support/until.ts";

const FRAMEWORKS = fileURLToPath(new URL("./frameworks", import.meta.url));

interface Framework {
  /** Build command and server command: paths from the project, and their arguments. */
  build: string[];
  serve: string[];
  /** The files that the guide shows. */
  shown: string[];
}

const frameworks: Record<string, Framework> = {
  astro: {
    build: ["node_modules/astro/astro.js", "build", "--silent"],
    serve: ["dist/server/entry.mjs"],
    shown: ["src/middleware.ts", "src/pages/account.astro", "astro.config.mjs"],
  },
};

/** Installs a project by npm, with the packed package. */
async function install(folder: string, node: string): Promise<void> {
  const { packages } = await buildPackages({ gate: false });
  const file = join(folder, "package.json");
  const manifest = await readJson(file) as { dependencies: Record<string, string> };
  for (const { manifest: { name }, tarball } of packages) {
    if (name in manifest.dependencies) manifest.dependencies[name] = `file:${tarball}`;
  }
  await Deno.writeTextFile(file, JSON.stringify(manifest));
  const npm = join(await installNpm(), "bin", "npm-cli.js");
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await run(node, [npm, "install", ...quiet], { cwd: folder });
}

for (const [name, { build, serve }] of inMatrix ? Object.entries(frameworks) : []) {
  // Tracks: AU-06
  Deno.test({
    name: `the set-up for ${name} sends visitors to sign in and knows who has`,
    ignore: !nodeIsAvailable,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: `framework-${name}-` });
      const port = freePort();
      const origin = `http://localhost:${port}`;
      const env = {
        BASE_URL: origin,
        HOST: "127.0.0.1",
        PORT: String(port),
        ASTRO_TELEMETRY_DISABLED: "1",
      };
      try {
        await cp(join(FRAMEWORKS, name), folder, { recursive: true });
        const { oldest: node } = await findNodes();
        await install(folder, node);
        await run(node, build, { cwd: folder, env });
        const server = startChild(node, serve, { cwd: folder, env });
        try {
          await until(
            async () => {
              await (await fetch(`${origin}/auth/session`)).body?.cancel();
              return true;
            },
            () => `Nobody listens at ${origin}:\n${server.output()}`,
          );
          const visitor = createClient(origin);
          const refused = await visitor.fetch("/account");
          assert.ok([303, 307].includes(refused.status), await refused.text());
          const location = new URL(refused.headers.get("location")!, origin).href;
          assert.equal(location, `${origin}/auth/signin?callbackUrl=%2Faccount`);
          const page = await visitor.fetch("/auth/signin?callbackUrl=%2Faccount");
          assert.match(await page.text(), /<title>Sign in<\/title>/);
          const home = await visitor.fetch("/");
          assert.equal(home.status, 200, server.output());
          await home.body?.cancel();

          const signedIn = await visitor.post("/auth/signin/credentials", { pin: "1234" });
          assert.equal(signedIn.status, 303, await signedIn.text());
          const account = await visitor.fetch("/account");
          assert.match(await account.text(), /Hello Ada/);
          const signedOut = await visitor.post("/auth/signout", {});
          assert.equal(signedOut.status, 303, await signedOut.text());
          const again = await visitor.fetch("/account");
          assert.ok([303, 307].includes(again.status), await again.text());
        } finally {
          await server.stop();
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

Deno.test("docs/servers.md shows the set-ups that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "servers.md"));
  for (const [name, { shown }] of Object.entries(frameworks)) {
    for (const file of shown) {
      const text = await Deno.readTextFile(join(FRAMEWORKS, name, file));
      assert.ok(guide.includes(`\n${text}\`\`\``), `${name}/${file} is not in the guide`);
      assert.ok(guide.includes(`\`${file}\``), `the guide does not name ${file}`);
    }
  }
});
