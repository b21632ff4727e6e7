import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWatcher } from "./watcher.ts";

interface Watched {
  root: string;
  /** Paths that were told of so far, burst by burst. */
  bursts: Set<string>[];
  /** Resolves with the bursts so far once one of them holds one of the paths. */
  changeOf(...paths: string[]): Promise<Set<string>[]>;
}

async function withWatcher(test: (watched: Watched) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "watcher-")));
  await mkdir(join(root, "app"));
  const bursts: Set<string>[] = [];
  let look = (): void => {};
  const watcher = createWatcher({
    onChange: (paths) => {
      bursts.push(paths);
      look();
    },
  });
  const list = {
    folders: [join(root, "app"), join(root, "public")],
    root,
    names: [".dev.vars", "public"],
  };
  watcher.update(list);
  try {
    await test({
      root,
      bursts,
      changeOf: (...paths) =>
        new Promise((resolve) => {
          look = () => {
            const isTold = (path: string) => bursts.some((burst) => burst.has(join(root, path)));
            if (paths.some(isTold)) resolve(bursts);
          };
          look();
        }),
    });
  } finally {
    watcher.close();
    await rm(root, { recursive: true, force: true });
  }
}

Deno.test("createWatcher() tells of files in folders, of renames onto a file, and of names in the root", () =>
  withWatcher(async ({ root, changeOf }) => {
    await writeFile(join(root, "app/page.tsx"), "1");
    await changeOf("app/page.tsx");
    await writeFile(join(root, "app/.tmp"), "2");
    await rename(join(root, "app/.tmp"), join(root, "app/route.ts"));
    await changeOf("app/route.ts");
    await writeFile(join(root, "unrelated.txt"), "");
    await writeFile(join(root, ".dev.vars"), "A=1");
    const bursts = await changeOf(".dev.vars");
    assert.ok(bursts.every((burst) => !burst.has(join(root, "unrelated.txt"))));
  }));

Deno.test("createWatcher() takes up a folder that appears later", () =>
  withWatcher(async ({ root, changeOf }) => {
    await mkdir(join(root, "public"));
    await changeOf("public");
    await writeFile(join(root, "public/a.css"), "");
    await changeOf("public/a.css");
  }));

Deno.test("createWatcher() follows a folder that has replaced another one", () =>
  withWatcher(async ({ root, bursts, changeOf }) => {
    await mkdir(join(root, "next"));
    await rename(join(root, "app"), join(root, "before"));
    await rename(join(root, "next"), join(root, "app"));
    await changeOf("app");
    for (const name of ["first", "second", "third"]) {
      bursts.length = 0;
      await writeFile(join(root, "app", name), "");
      // The folder itself, where its new watch has not started yet.
      await changeOf(join("app", name), "app");
    }
  }));
