/** The types of the platform's bindings fit what an application does with them, without a cast. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { capture } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { linkFolder, linkNpmPackages } from "../support/npm_packages.ts";
import { createStarter, type Starter } from "../support/starter.ts";
import { newest, replaceTypescript } from "./other_typescript.ts";

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

const route = `import type { RequestContext } from "@framework/cli/runtime";
export async function GET(
  request: Request,
  { env }: RequestContext<"/file">,
): Promise<Response> {
  const said: string[] = await env.ROOMS.getByName("a").say("x");
  // @ts-expect-error a method that the class lacks
  env.ROOMS.getByName("a").shout("x");
  await env.MAILS.send({ to: "ada@example.com" });
  await env.MAILS.sendBatch([{ body: { to: "bob@example.com" } }]);
  // @ts-expect-error a body that the handler does not take
  await env.MAILS.send({ too: "ada@example.com" });
  if (said.length > 1) return await env.ROOMS.getByName("a").fetch(request);
  const form = await request.formData();
  const file = form.get("file");
  if (file instanceof File) await env.FILES.put("a", file.stream());
  const mail = { from: "app@example.com", to: "ada@example.com", subject: "Hello", text: "Hi" };
  const { messageId } = await env.MAILER.send(mail);
  await env.MAILER.send({
    from: { name: "App", email: "app@example.com" },
    bcc: [{ name: "Ada", email: "ada@example.com" }],
    subject: "Hello",
    attachments: [{ disposition: "attachment", filename: "a", type: "text/plain", content: "a" }],
  });
  // @ts-expect-error an address is no mail
  await env.MAILER.send("ada@example.com");
  const other = await env.OTHER.fetch("http://other/", { method: "POST", body: messageId });
  if (!other.ok) return other;
  const object = await env.FILES.get("a");
  return new Response(object!.body);
}
`;

// The handler sends too: its own type and that of the bindings name each other.
const queue = `import type { Env, QueueMessage } from "@framework/cli/runtime";
export async function queue(messages: readonly QueueMessage<{ to: string }>[], env: Env) {
  for (const { body, attempts } of messages) {
    if (attempts === 1) await env.MAILS.send(body);
  }
}
`;

const platform = {
  name: "app",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  "d1_databases": [{ binding: "DB", "database_name": "app", "database_id": "app" }],
  queues: { producers: [{ binding: "MAILS", queue: "mails" }], consumers: [{ queue: "mails" }] },
  "r2_buckets": [{ binding: "FILES", "bucket_name": "files" }],
  "durable_objects": { bindings: [{ name: "ROOMS", "class_name": "Room" }] },
  "send_email": [{ name: "MAILER" }],
  services: [{ binding: "OTHER", service: "other" }],
  migrations: [{ tag: "v1", "new_sqlite_classes": ["Room"] }],
};

const files: Record<string, string> = {
  "wrangler.jsonc": JSON.stringify(platform),
  "app/objects/room.ts": room,
  "app/queues/mails.ts": queue,
  "app/file/route.ts": route,
};

let starter: Starter;
let compilerOptions: Record<string, unknown>;
Deno.test.beforeAll(async () => {
  starter = await createStarter();
  await replaceTypescript(starter.root, newest);
  const { root } = starter;
  ({ compilerOptions } = JSON.parse(await Deno.readTextFile(join(root, "tsconfig.json"))));
  await Deno.remove(join(root, "app"), { recursive: true });
  await Deno.remove(join(root, "framework.config.ts"));
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    await Deno.writeTextFile(join(root, path), text);
  }
});
Deno.test.afterAll(async () => {
  await (starter as Starter | undefined)?.remove();
});

/** The options are the starter's; its own files, which would be read too, are not what is asked. */
async function typecheck(): Promise<void> {
  const config = JSON.stringify({ compilerOptions, files: [".framework/types/app.ts"] });
  await Deno.writeTextFile(join(starter.root, "tsconfig.json"), config);
  const { code, stdout, stderr } = await starter.framework("typecheck");
  assert.deepEqual([code, stdout], [0, ""], stderr);
}

// Tracks: AB-06
Deno.test("streams, sockets, messages and the methods of objects fit without any types of the platform", async () => {
  await typecheck();
});

// Tracks: AB-06
Deno.test("streams, sockets, messages and the methods of objects fit with @cloudflare/workers-types", async () => {
  const modules = await linkNpmPackages({ "@cloudflare/workers-types": "5.20261117.1" });
  const installed = join(starter.root, "node_modules/@cloudflare/workers-types");
  await Deno.mkdir(dirname(installed), { recursive: true });
  await linkFolder(join(modules, "@cloudflare/workers-types"), installed);
  try {
    await typecheck();
  } finally {
    await Deno.remove(installed, { recursive: true });
  }
});

if (inMatrix) {
  // Tracks: AB-06
  Deno.test("streams, sockets, messages and the methods of objects fit under Deno, which needs no TypeScript", async () => {
    await starter.framework("types");
    await Deno.remove(join(starter.root, "tsconfig.json"));
    const args = ["check", "app/file/route.ts", ".framework/types/app.ts"];
    const { code, stderr } = await capture(Deno.execPath(), args, { cwd: starter.root });
    assert.equal(code, 0, stderr);
  });
}
