import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExportReader } from "./export_reader.ts";
import type { Esbuild } from "../tools/bundler_and_emulator.ts";

// esbuild keeps its own process until it is told to stop.
const withTool = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "createExportReader() lists what files export without running them",
  withTool,
  async () => {
    const root = await mkdtemp(join(tmpdir(), "exports-"));
    const write = async (name: string, text: string): Promise<string> => {
      await writeFile(join(root, name), text);
      return join(root, name);
    };
    try {
      const page = await write(
        "page.tsx",
        "export type Loader = string;\nexport const loader = 1;\nexport default () => <p/>;\nthrow 1;",
      );
      const route = await write("[...all].ts", 'export { GET, GET as HEAD } from "./nowhere.ts";');
      const hidden = await write("hidden.ts", 'export * from "./page.tsx";');
      const client = await write("client.tsx", '"use client";\nexport default () => <p/>;');
      const files = {
        [page]: "page",
        [route]: "route",
        [hidden]: "route",
        [client]: "page",
      } as const;
      const { names: exports, errors } = await createExportReader().read(
        esbuild as unknown as Esbuild,
        {
          root,
          files,
        },
      );
      assert.deepEqual(errors.map(({ file }) => file), ["client.tsx"]);
      assert.deepEqual(exports[page]?.toSorted(), ["default", "loader"]);
      assert.deepEqual(exports[route]?.toSorted(), ["GET", "HEAD"]);
      assert.equal(exports[hidden], null);
    } finally {
      await esbuild.stop();
      await rm(root, { recursive: true, force: true });
    }
  },
);
