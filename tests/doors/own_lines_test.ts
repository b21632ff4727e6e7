// Lines that an application writes itself, by framework: those of the projects that the guides show.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readTable } from "../docs/tables.ts";

/** Files of each project; of one that the framework has anyway, the lines with a word. */
const OWN: Record<string, {
  title: string;
  files: (string | [file: string, word: RegExp])[];
  /** Default: that of the same name. */
  folder?: string;
}> = {
  next: {
    title: "Next.js",
    files: ["auth.ts", "app/auth/[...path]/route.ts", "instrumentation.ts", "app/account/page.tsx"],
  },
  sveltekit: {
    title: "SvelteKit",
    files: [
      "src/lib/server/auth.ts",
      "src/hooks.server.ts",
      ["vite.config.js", /BASE_URL/],
      "src/routes/account/+page.server.ts",
      "src/routes/account/+page.svelte",
    ],
  },
  astro: {
    title: "Astro",
    files: [
      "src/lib/auth.ts",
      "src/middleware.ts",
      "src/env.d.ts",
      ["astro.config.mjs", /checkOrigin/],
      "src/actions/index.ts",
      "src/pages/account.astro",
    ],
  },
  "react-router": {
    title: "React Router",
    files: [
      "app/auth.server.ts",
      ["app/root.tsx", /accounts/],
      ["app/routes.ts", /auth/],
      "app/auth.ts",
      "app/account.tsx",
    ],
  },
  nuxt: {
    title: "Nuxt",
    files: [
      "server/utils/auth.ts",
      "server/plugins/auth.ts",
      ["nuxt.config.ts", /nitro/],
      "app/middleware/signed-in.ts",
      "app/pages/account.vue",
      "server/api/account.get.ts",
      "server/api/signout.post.ts",
    ],
  },
  ...Object.fromEntries(
    Object.entries({ hono: "Hono", express: "Express", fastify: "Fastify", node: "node:http" })
      .map(([name, title]) => [name, {
        title,
        folder: "../servers/project",
        files: ["auth.ts", "pages.ts", `${name}.ts`],
      }]),
  ),
};

/** The rule of docs/servers.md: what is neither empty nor a comment alone, imports and brackets too. */
function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/?\*|---\s*$)/.test(line));
}

Deno.test("docs/servers.md counts the own lines of the projects, which are fewer than those beside them", async () => {
  const table = await readTable("docs/servers.md", "Better Auth");
  assert.deepEqual(Object.keys(table), Object.values(OWN).map(({ title }) => title));
  for (const [name, { title, files, folder = name }] of Object.entries(OWN)) {
    let sum = 0;
    for (const entry of files) {
      const [file, word = /^/] = typeof entry === "string" ? [entry] : entry;
      const path = fileURLToPath(new URL(`${folder}/${file}`, import.meta.url));
      const lines = linesOf(await Deno.readTextFile(path)).filter((line) => word.test(line));
      assert.ok(lines.length > 0, `${path} has none of them`);
      sum += lines.length;
    }
    const [own, ...others] = Object.values(table[title]!);
    assert.equal(own, String(sum), title);
    for (const other of others) {
      if (other !== "none") assert.ok(sum < parseInt(other), `${title}: ${other}`);
    }
  }
});
