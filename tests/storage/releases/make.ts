// Makes the bundle of a release, whose application the tests of upgrades let serve: a file of its own, because neither a
// registry nor a shallow clone has the releases of before.
//
// Usage: deno run -A tests/storage/releases/make.ts COMMIT, of the last commit with these tables
import * as esbuild from "esbuild";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/run_command.ts";
import { readJson, repositoryRoot } from "../../../scripts/workspace.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Bundles the application with the library of a commit, which stands in a folder. */
async function bundle(folder: string): Promise<string> {
  const { exports } = await readJson(join(folder, "auth", "deno.json")) as unknown as {
    exports: Record<string, string>;
  };
  const { outputFiles } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: [join(HERE, "application.ts")],
    alias: Object.fromEntries(
      Object.entries(exports).map((
        [name, file],
      ) => [`@framework/auth${name.slice(1)}`, join(folder, "auth", file)]),
    ),
    nodePaths: [join(repositoryRoot, "node_modules")],
    plugins: [{
      name: "only-what-is-used",
      setup({ onResolve }) {
        onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
          if (!resolveDir.startsWith(join(folder, "auth"))) return undefined;
          return { path: join(resolveDir, path), sideEffects: false };
        });
        // Of providers and passkeys, which the application has not.
        onResolve(
          { filter: /^(?:jose|oauth4webapi|@simplewebauthn\/.*)$/ },
          ({ path }) => ({ path, external: true, sideEffects: false }),
        );
      },
    }],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "warning",
  });
  return outputFiles[0]!.text;
}

const [commit] = process.argv.slice(2);
const folder = await Deno.makeTempDir({ prefix: "framework-release-" });
try {
  const archive = join(folder, "release.tar");
  await run("git", ["archive", "--output", archive, commit!, "auth"], { cwd: repositoryRoot });
  await run("tar", ["-xf", archive, "-C", folder]);
  const text = await bundle(folder);
  const schema = await import(`file://${folder}/auth/storage/schema.ts`);
  const { version } = schema.authSchema as { version: number };
  await Deno.writeTextFile(
    join(HERE, `version_${version}.js`),
    `// The library and the application of application.ts when the tables had version ${version}, made by make.ts.
// deno-fmt-ignore-file
// @ts-self-types="./application.ts"
${text}`,
  );
} finally {
  await esbuild.stop();
  await Deno.remove(folder, { recursive: true });
}
