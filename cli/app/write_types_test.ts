import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withProject } from "../../tests/support/command_line.ts";
import { loadConfig } from "../config/config.ts";
import { writeTypes } from "./write_types.ts";

const project = {
  "app/page.tsx": "export default () => null;\n",
  "app/users/[id]/page.tsx": "export default () => null;\n",
  "app/docs/[[...path-to]]/page.tsx": "export default () => null;\n",
  ".dev.vars": "# a comment\nAUTH_SECRET=x\nexport OTHER = y\n",
  "wrangler.jsonc": JSON.stringify({
    name: "app",
    compatibility_date: "2026-08-06",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB", database_name: "app", database_id: "app" }],
    kv_namespaces: [{ binding: "CACHE", id: "cache" }],
    r2_buckets: [{ binding: "FILES", bucket_name: "files" }],
    queues: { producers: [{ binding: "MAIL", queue: "mail" }] },
    durable_objects: { bindings: [{ name: "ROOMS", class_name: "Room" }] },
    assets: { directory: "public", binding: "ASSETS" },
    vars: { GREETING: "hello", LIMITS: { max: 3, names: ["a"] }, "odd-name": true },
  }),
};

Deno.test("writeTypes() writes the bindings, variables and secrets as types", () =>
  withProject(project, async (root) => {
    await writeTypes(await loadConfig(root));
    assert.equal(
      readFileSync(join(root, ".framework/types/bindings.ts"), "utf8"),
      `// Made by the framework command. Do not edit.
/// <reference path="./platform.d.ts" />
import type { SqlDatabase } from "@framework/auth/storage";
import type { AssetFetcher, DurableObjectNamespace, KeyValueNamespace, ObjectBucket, QueueProducer } from "@framework/cli/runtime";

/** Bindings that the platform gives to the application. */
export interface Bindings {
  ASSETS: AssetFetcher;
  AUTH_SECRET: string;
  CACHE: KeyValueNamespace;
  DB: SqlDatabase;
  FILES: ObjectBucket;
  GREETING: string;
  LIMITS: { max: number; names: (string)[] };
  MAIL: QueueProducer;
  OTHER: string;
  ROOMS: DurableObjectNamespace;
  "odd-name": boolean;
}
`,
    );
  }));

const wranglerFile = "worker-configuration.d.ts";
const bindingsAlone = "interface Env {\n\tDB: D1Database;\n}\n";
const withRuntime =
  `${bindingsAlone}// Begin runtime types\ndeclare abstract class D1Database {}\n`;

const room = "app/objects/room.ts";
const withRoom = { ...project, [room]: "export class Room {}\n" };

// Tracks: AB-06
Deno.test("writeTypes() declares the platform until the project has its types", () =>
  withProject(withRoom, async (root) => {
    const config = await loadConfig(root);
    assert.equal((await writeTypes(config)).length, 2);
    const declarations = join(root, ".framework/types/platform.d.ts");
    assert.match(readFileSync(declarations, "utf8"), /^declare module "cloudflare:workers" \{$/m);
    const bindings = join(root, ".framework/types/bindings.ts");
    assert.match(
      readFileSync(bindings, "utf8"),
      /^ {2}ROOMS: DurableObjectNamespace<import\("\.\.\/\.\.\/app\/objects\/room\.ts"\)\.Room>;$/m,
    );
    writeFileSync(join(root, wranglerFile), withRuntime);
    assert.deepEqual(await writeTypes(config), [bindings]);
    assert.equal(existsSync(declarations), false);
    assert.doesNotMatch(readFileSync(bindings, "utf8"), /reference/);
  }));

// Tracks: AB-06
Deno.test("writeTypes() names the body of a queue's messages by the handler of its file", () =>
  withProject({
    ...project,
    "app/queues/mail.ts": "export const queue = () => {};\n",
    "app/queues/other.ts": "export const queue = () => {};\n",
  }, async (root) => {
    const config = await loadConfig(root);
    const path = join(root, ".framework/types/bindings.ts");
    const text = async () => {
      await writeTypes(config);
      return readFileSync(path, "utf8");
    };
    const body = 'Body<typeof import("../../app/queues/mail.ts").queue>';
    assert.ok((await text()).includes(`  MAIL: QueueProducer<${body}>;\n`));
    assert.match(await text(), /^type Body</m);
    writeFileSync(join(root, wranglerFile), withRuntime);
    assert.ok((await text()).includes(`  MAIL: Queue<${body}>;\n`));
    // A file without a handler is an error of the build, and says nothing of the messages.
    writeFileSync(join(root, "app/queues/mail.ts"), "export {};\n");
    assert.match(await text(), /^ {2}MAIL: Queue;$/m);
    assert.doesNotMatch(await text(), /^type Body</m);
  }));

Deno.test("writeTypes() names the globals of a package, with the classes of the objects", () =>
  withProject({
    ...withRoom,
    "node_modules/@cloudflare/workers-types/package.json":
      '{ "name": "@cloudflare/workers-types" }',
  }, async (root) => {
    const config = await loadConfig(root);
    assert.equal((await writeTypes(config)).length, 1);
    const path = join(root, ".framework/types/bindings.ts");
    const text = readFileSync(path, "utf8");
    assert.match(text, /^\/\/\/ <reference types="@cloudflare\/workers-types" \/>$/m);
    assert.doesNotMatch(text, /^import /m);
    assert.match(text, /^ {2}DB: D1Database;$/m);
    assert.match(
      text,
      /^ {2}ROOMS: DurableObjectNamespace<import\("\.\.\/\.\.\/app\/objects\/room\.ts"\)\.Room>;$/m,
    );
    assert.deepEqual(await writeTypes(config), []);
    writeFileSync(path, "something else");
    assert.deepEqual(await writeTypes(config), [path]);
    assert.equal(existsSync(`${path}.${Deno.pid}.tmp`), false);
  }));

Deno.test("writeTypes() names the globals that wrangler has written, and nothing beside them", () =>
  withProject({ ...withRoom, [wranglerFile]: withRuntime }, async (root) => {
    await writeTypes(await loadConfig(root));
    const text = readFileSync(join(root, ".framework/types/bindings.ts"), "utf8");
    assert.doesNotMatch(text, /^import |<reference/m);
    assert.match(text, /^ {2}FILES: R2Bucket;$/m);
    assert.match(text, /DurableObjectNamespace<import\(/);
  }));

Deno.test("writeTypes() names globals only where what wrangler has written declares them", () =>
  withProject({ ...withRoom, [wranglerFile]: bindingsAlone }, async (root) => {
    const config = await loadConfig(root);
    const text = async () => {
      await writeTypes(config);
      return readFileSync(join(root, ".framework/types/bindings.ts"), "utf8");
    };
    assert.match(await text(), /^ {2}FILES: ObjectBucket;$/m);
    assert.ok(existsSync(join(root, ".framework/types/platform.d.ts")));
    const types = join(root, "node_modules/@cloudflare/workers-types");
    mkdirSync(types, { recursive: true });
    writeFileSync(join(types, "package.json"), '{ "name": "@cloudflare/workers-types" }');
    assert.match(await text(), /^\/\/\/ <reference types="@cloudflare\/workers-types" \/>$/m);
  }));
