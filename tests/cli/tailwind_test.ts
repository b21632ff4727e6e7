import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const files = {
  "app/page.tsx": `import "./site.css";
export default () => <p class="p-[3px] md:flex text-brand">x</p>;`,
  "app/site.css": `@import "tailwindcss";
@theme { --color-brand: #123456 }
.own { @apply m-2; background: url(./dot.svg) }`,
  "app/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

// Tracks: AB-11
Deno.test("framework build names the packages that a stylesheet with Tailwind needs", async () => {
  await using app = await createFixtureApp(files);
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 3, stderr);
  assert.match(
    stderr,
    /app\/site\.css:1:1 .*@tailwindcss\/cli is not installed.* npm:@tailwindcss\/cli`/,
  );
});

/** Puts Tailwind beside the application, whose other packages npm would remove. */
async function addTailwind(app: FixtureApp): Promise<void> {
  const versions = { "tailwindcss": "4.3.5", "@tailwindcss/cli": "4.3.5" };
  const modules = await linkNpmPackages(versions);
  mkdirSync(join(app.root, "node_modules/@tailwindcss"));
  for (const name of Object.keys(versions)) {
    symlinkSync(join(modules, name), join(app.root, "node_modules", name));
  }
}

Deno.test("a stylesheet with Tailwind has the classes of the application when it is built", async () => {
  await using app = await createFixtureApp(files);
  await addTailwind(app);
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 0, stderr);
  const folder = join(app.root, "dist/assets/_framework");
  const sheet = readdirSync(folder).find((name) => name.endsWith(".css"))!;
  const css = await Deno.readTextFile(join(folder, sheet));
  for (
    const part of [
      /\.p-\\\[3px\\\]\{padding:3px\}/,
      /\.text-brand\{color:var\(--color-brand\)\}/,
      /@media[^{]*\{\.md\\:flex\{display:flex\}\}/,
      /\.own\{margin:calc\(var\(--spacing\) \* ?2\);background:url\("?\/_framework\/dot-\w{8}\.svg"?\)/,
    ]
  ) assert.match(css, part);
  assert.doesNotMatch(css, /@apply|@theme|\.m-4/);
});

// The compiler runs with every save.
if (inMatrix) {
  // Tracks: AB-11
  Deno.test({
    name: "a stylesheet with Tailwind follows the classes of the application in development",
    async fn() {
      await using app = await createFixtureApp(files);
      await addTailwind(app);
      const child = startFramework(app.root, "dev", "--port", "0");
      try {
        const [, origin = ""] = await child.waitFor(/ready at (http:\S+)/);
        const styles = async (): Promise<string> =>
          await (await fetch(`${origin}/_framework/app-site.css`)).text();
        assert.match(await styles(), /\.p-\\\[3px\\\]/);
        await app.write("app/page.tsx", files["app/page.tsx"].replace("p-[3px]", "m-4"));
        await until(styles, (text) => text.includes(".m-4"));
        await app.write(
          "app/site.css",
          '@import "tailwindcss";\n.x { @apply nothing-of-the-kind }',
        );
        await child.waitFor(/app\/site\.css:1:1 Tailwind: .*nothing-of-the-kind/);
      } finally {
        await child.stop();
      }
    },
  });
}
