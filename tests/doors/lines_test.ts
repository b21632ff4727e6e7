// The frameworks for which docs/servers.md has lines, and no entry: installed, built, and signed in to by requests.
import assert from "node:assert/strict";
import { copyFile, cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { installPackages } from "../../scripts/scaffold.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import { type Client, createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { until } from "../support/until.ts";
import { sendHandshake } from "../support/raw_http.ts";
import { CLAIMED, FORM_OF_PAGE, SOCKET_OF_SITE } from "./visit.ts";

const DOORS = fileURLToPath(new URL(".", import.meta.url));
const SHARED = join(repositoryRoot, "tests", "servers", "project", "pin.ts");
const VITE = "node_modules/vite/bin/vite.js";

interface Lines {
  /** Its name in the table of docs/servers.md. */
  title: string;
  /** Where the `auth.ts` of the guide belongs, and the files that the guide shows beside it. */
  auth: string;
  shown: string[];
  /** Arguments of Node: the build, and the server of each mode. */
  build?: string[];
  serve: Record<string, (port: string) => string[]>;
}

const projects: Record<string, Lines> = {
  elysia: {
    title: "Elysia",
    auth: "auth.ts",
    shown: ["server.ts"],
    serve: { production: () => ["server.ts"] },
  },
  "tanstack-start": {
    title: "TanStack Start",
    auth: "src/auth.ts",
    shown: ["src/server.ts", "src/routes/account.tsx", "src/routes/admin.ts"],
    build: [VITE, "build"],
    serve: {
      production: (port) => [
        ...["node_modules/srvx/bin/srvx.mjs", "serve", "--prod", "--host", "127.0.0.1"],
        ...["--port", port, "--static", "../client", "--entry", "dist/server/server.js"],
      ],
      development: (port) => [VITE, "dev", "--host", "127.0.0.1", "--port", port],
    },
  },
};

const FORGED = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };

/** Rows of the table in docs/servers.md, one after the other, each by a visitor's requests. */
const ROWS: Record<
  string,
  (visitor: Client, origin: string, mode: string) => Promise<void>
> = {
  async "guarded page"(visitor) {
    const unknown = await visitor.fetch("/account");
    await unknown.body?.cancel();
    assert.ok([303, 307].includes(unknown.status));
    assert.match(unknown.headers.get("location")!, /\/auth\/signin\?callbackUrl=%2Faccount$/);
  },
  async "sign-in"(visitor) {
    const wrong = await visitor.post("/auth/signin/credentials", { pin: "0" });
    assert.equal(wrong.status, 401, await wrong.text());
    const signedIn = await visitor.post("/auth/signin/credentials", { pin: "1234" });
    assert.equal(signedIn.status, 303, await signedIn.text());
    const home = await visitor.fetch("/account");
    assert.match(home.headers.get("vary") ?? "", /cookie/i);
    assert.match(home.headers.get("cache-control") ?? "", /no-store/);
    assert.match(await home.text(), /Hello (<!-- -->)?Ada/);
  },
  async "role: 401, 403"(visitor, origin) {
    const nobody = await createClient(origin).fetch("/admin");
    assert.equal(nobody.status, 401, await nobody.text());
    const forbidden = await visitor.fetch("/admin");
    assert.equal(forbidden.status, 403);
    assert.doesNotMatch(await forbidden.text(), /Secret/);
  },
  async "cross-site form at `/auth`"(visitor) {
    const refused = await visitor.post("/auth/signout", { name: "Eve" }, FORGED);
    assert.equal(refused.status, 403, await refused.text());
  },
  async [FORM_OF_PAGE](visitor) {
    const refused = await visitor.post("/account", { name: "Eve" }, FORGED);
    assert.equal(refused.status, 403, await refused.text());
    const own = await visitor.post("/account", { name: "Ada" });
    assert.equal(own.status, 200, await own.text());
  },
  async [SOCKET_OF_SITE](visitor, origin, mode) {
    // In development Vite listens for handshakes, and answers its own.
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { status, text } = await sendHandshake(`${origin}/account`, FORGED.origin, cookie);
    assert.equal(status, mode === "production" ? 403 : 0, text);
  },
  async [CLAIMED](visitor) {
    const claim = { "x-forwarded-for": "203.0.113.1" };
    const refused = await visitor.post("/auth/signin/credentials", { pin: "0" }, claim);
    assert.equal(refused.status, 401, await refused.text());
  },
  async "sign-out"(visitor) {
    const signedOut = await visitor.post("/auth/signout", {});
    assert.equal(signedOut.status, 303, await signedOut.text());
    const again = await visitor.fetch("/account");
    await again.body?.cancel();
    assert.ok([303, 307].includes(again.status));
  },
};

for (const [name, { auth, build, serve }] of Object.entries(projects)) {
  if (!inMatrix) continue;
  // Tracks: AU-06, A-11
  Deno.test({
    name: `the lines for ${name} sign in and out, guard, and refuse forms of other sites`,
    ignore: !nodeIsAvailable,
    async fn(test) {
      const { newest: node } = await findNodes();
      const folder = await Deno.makeTempDir({ prefix: `framework-${name}-` });
      try {
        await cp(join(DOORS, name), folder, { recursive: true });
        await copyFile(SHARED, join(folder, auth));
        await installPackages(folder, await buildPackages({ gate: false }));
        for (const [mode, commandOf] of Object.entries(serve)) {
          await test.step(mode, async (test) => {
            const port = String(freePort());
            const env = { PORT: port, BASE_URL: `http://localhost:${port}` };
            if (build && mode === "production") await run(node, build, { cwd: folder, env });
            const server = startChild(node, commandOf(port), {
              cwd: folder,
              env: { NODE_ENV: mode, ...env },
              group: true,
            });
            try {
              await until(
                async () => {
                  await (await fetch(`${env.BASE_URL}/auth/session`)).body?.cancel();
                  return true;
                },
                () => `Nobody listens at ${env.BASE_URL}:\n${server.output()}`,
              );
              const visitor = createClient(env.BASE_URL);
              for (const [row, check] of Object.entries(ROWS)) {
                if (!await test.step(row, () => check(visitor, env.BASE_URL, mode))) return;
              }
              assert.match(server.output(), /proxy-not-trusted/);
              // The lines pass on the address of the client.
              assert.doesNotMatch(server.output(), /client-address-unknown/);
            } finally {
              await server.stop();
            }
          });
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

Deno.test("the table in docs/servers.md is what the lines are asked", async () => {
  const table = await readTable("docs/servers.md", "Elysia");
  const cells = Object.keys(ROWS).map((row) => [row, "R"]);
  for (const { title, build, serve } of Object.values(projects)) {
    holdColumn(table, title, {
      ...Object.fromEntries(cells),
      [FORM_OF_PAGE]: "R: 403",
      [SOCKET_OF_SITE]: "development" in serve ? "R: 403, built" : "R: 403",
      "production build": build ? "R" : "–",
      "development server": "development" in serve ? "R" : "–",
    });
  }
});

Deno.test("docs/servers.md shows the lines that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "servers.md"));
  for (const [name, { shown }] of Object.entries(projects)) {
    for (const file of shown) {
      const code = await Deno.readTextFile(join(DOORS, name, file));
      assert.ok(guide.includes(`ignore\n${code}\`\`\``), `${name}/${file} is not in the guide`);
      assert.ok(guide.includes(`\`${file}\``), `the guide does not name ${file}`);
    }
  }
});
