/** What an application does with the platform's bindings has types that fit, without a cast. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../scripts/run_command.ts";
import { installNpmPackages } from "../support/npm_packages.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { runFramework } from "./framework.ts";

const room = `import { DurableObject } from "cloudflare:workers";
export class Room extends DurableObject {
  say(text: string): string[] {
    return [text];
  }
  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }
}
`;

const route = `import type { Bindings } from "../../.framework/types/bindings.ts";
export async function GET(request: Request, { env }: { env: Bindings }): Promise<Response> {
  const said: string[] = await env.ROOMS.getByName("a").say("x");
  // @ts-expect-error a method that the class lacks
  env.ROOMS.getByName("a").shout("x");
  if (said.length > 1) return await env.ROOMS.getByName("a").fetch(request);
  const form = await request.formData();
  const file = form.get("file");
  if (file instanceof File) await env.FILES.put("a", file.stream());
  const object = await env.FILES.get("a");
  return new Response(object!.body);
}
`;

const platform = {
  name: "app",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  "r2_buckets": [{ binding: "FILES", "bucket_name": "files" }],
  "durable_objects": { bindings: [{ name: "ROOMS", "class_name": "Room" }] },
  migrations: [{ tag: "v1", "new_sqlite_classes": ["Room"] }],
};

Deno.test("streams, sockets and the methods of objects fit with @cloudflare/workers-types and the starter's tsconfig.json", async () => {
  const { compilerOptions } = JSON.parse(
    await Deno.readTextFile(
      new URL("../../cli/templates/starter/_tsconfig.json", import.meta.url),
    ),
  );
  await using app = await createFixtureApp({
    "wrangler.jsonc": JSON.stringify(platform),
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["app/file/route.ts"] }),
    "app/objects/room.ts": room,
    "app/file/route.ts": route,
  });
  const modules = await installNpmPackages({
    typescript: "6.0.3",
    "@cloudflare/workers-types": "5.20261117.1",
  });
  await run("cp", [
    "-R",
    join(modules, "typescript"),
    join(modules, "@cloudflare"),
    join(app.root, "node_modules"),
  ]);
  const checked = await runFramework(app.root, "typecheck");
  assert.deepEqual([checked.code, checked.stdout.includes("error")], [0, false], checked.stdout);
});
