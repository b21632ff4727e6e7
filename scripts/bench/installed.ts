import { join } from "node:path";
import { buildPackages } from "../npm.ts";
import { installPackages } from "../scaffold.ts";

/** A folder with the packed library, as a package manager installs it. */
export async function installLibrary(): Promise<string> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  const { manifest } = build.packages.find(({ folder }) => folder === "auth")!;
  await Deno.writeTextFile(
    join(folder, "package.json"),
    JSON.stringify({
      private: true,
      type: "module",
      dependencies: { [manifest.name]: manifest.version },
    }),
  );
  await installPackages(folder, build);
  return folder;
}
