import assert from "node:assert/strict";
import { join } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";
import { readMap } from "./read_map.ts";

/** Folders that hold no code of a package, or code that is only its text. */
const NO_ROOMS = ["fixtures", "node_modules", "starter", "tests"];

Deno.test("the map of the house names every folder of the packages, and no other", async () => {
  const map = await readMap();
  for (const name of ["auth", "cli", "testing"]) {
    const files = await listFiles(
      join(repositoryRoot, name),
      (folder) => !NO_ROOMS.some((other) => folder === other || folder.endsWith(`/${other}`)),
    );
    const folders = files.flatMap((file) =>
      `${name}/${file}`.replaceAll("\\", "/").split("/").slice(0, -1)
        .map((_, index, names) => names.slice(0, index + 1).join("/"))
    );
    const named = [...map.keys()].filter((folder) => folder.split("/")[0] === name);
    assert.deepEqual(named.toSorted(), [...new Set(folders)].toSorted());
  }
  for (const folder of map.keys()) await Deno.stat(join(repositoryRoot, folder));
});
