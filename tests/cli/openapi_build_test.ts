// The OpenAPI document as an output of the build, and as the guide serves it.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { freePort } from "../support/free_port.ts";
import { serve } from "./built_server.ts";
import { createFixtureApp } from "./fixture_app.ts";

const guide = new URL("../../docs/api.md", import.meta.url);
const issues = `import { z } from "zod";
export const input = z.object({ title: z.string().min(3) });
export const POST = () => null;
`;

Deno.test(
  "framework build writes the OpenAPI document, which only a route of the application serves",
  {
    sanitizeOps: false,
    sanitizeResources: false,
  },
  async (t) => {
    await using app = await createFixtureApp({
      "app/page.tsx": "export default () => null;\n",
      "app/api/issues/route.ts": issues,
    });
    const { root } = app;
    const read = (path: string): Promise<string> => Deno.readTextFile(join(root, path));
    async function run(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await framework(root, ...args);
      assert.equal(code, 0, stderr);
      return stdout;
    }

    await t.step("beside the worker, not among the static files", async () => {
      await run("build");
      const document = await read("dist/openapi.json");
      assert.equal(JSON.parse(document).components.schemas.PostApiIssues.required[0], "title");
      const assets = await readdir(join(root, "dist/assets"), { recursive: true });
      assert.deepEqual(assets.filter((name) => name.includes("openapi")), []);
    });

    await t.step("served by the guide's route, from a copy", async () => {
      const [, route = ""] = /```ts ignore\n(import document from "[^]*?)```/.exec(
        await Deno.readTextFile(guide),
      )!;
      await app.write("app/openapi.json/route.ts", route);
      // A shell has emptied the file before the command writes to it.
      await app.write("openapi.json", "");
      const document = await run("routes", "--openapi");
      await app.write("openapi.json", document);
      await run("build", "--target", "deno");
      assert.equal(await read("dist/openapi.json"), document);
      const port = freePort();
      const origin = `http://localhost:${port}`;
      await using _server = await serve("Deno", app, {
        PORT: String(port),
        BASE_URL: origin,
      });
      const served = await fetch(`${origin}/openapi.json`);
      assert.equal(served.headers.get("content-type"), "application/json");
      assert.deepEqual(await served.json(), JSON.parse(document));
      const beside = await fetch(`${origin}/dist/openapi.json`);
      assert.equal(beside.status, 404);
      await beside.body?.cancel();
    });
  },
);
