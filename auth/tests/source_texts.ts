import { join } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";

/** The source of the library, without its languages, its list of texts and its tests. */
export default async function readSource(): Promise<string> {
  const folder = join(repositoryRoot, "auth");
  const files = await listFiles(
    folder,
    (name) => !/(?:^|\/)(?:tests|languages|node_modules)$/.test(name),
  );
  const wanted = files.filter((name) =>
    name.endsWith(".ts") && !name.endsWith("_test.ts") && !name.endsWith("texts.ts")
  );
  return (await Promise.all(wanted.map((name) => Deno.readTextFile(join(folder, name))))).join(
    "\n",
  );
}
