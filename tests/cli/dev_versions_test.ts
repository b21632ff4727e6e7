/**
 * `framework dev` takes up an edit in the worker that runs: what it holds in memory stays, and whatever stops that from
 * working ends in a worker that runs the newest code all the same.
 */
import assert from "node:assert/strict";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { processesIn, startFramework, until } from "./framework.ts";

const platform = {
  name: "fixture",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  "durable_objects": { bindings: [{ name: "ROOM", "class_name": "Room" }] },
  migrations: [{ tag: "v1", "new_sqlite_classes": ["Room"] }],
};

function page(text: string): string {
  return `export default () => <p>${text}</p>;`;
}

function room(step: number): string {
  return `import { DurableObject } from "cloudflare:workers";
export class Room extends DurableObject {
  inMemory = 0;
  async count() {
    const stored = (await this.ctx.storage.get("count") ?? 0) + 1;
    await this.ctx.storage.put("count", stored);
    return { inMemory: this.inMemory += ${step}, stored };
  }
}`;
}

const files = {
  "wrangler.jsonc": JSON.stringify(platform),
  "app/page.tsx": page("first"),
  "app/objects/room.ts": room(1),
  "app/room/route.ts": `export const GET = (_request, { env }) =>
  env.ROOM.get(env.ROOM.idFromName("a")).count();`,
  "app/slow/route.ts": `import { version } from "../../lib/version.ts";
export async function GET() {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return version;
}`,
  "app/endless/route.ts": `export function GET() {
  for (;;);
}`,
  "app/fails/route.ts": `import { version } from "../../lib/version.ts";
export function GET() {
  throw new Error(version);
}`,
  "lib/version.ts": 'export const version = "one";',
};

interface DevServer extends AsyncDisposable {
  app: FixtureApp;
  text(path: string): Promise<string>;
  output(): string;
  /** Waits until the page shows it. */
  shows(text: string): Promise<void>;
}

async function startDev(changes: Record<string, string> = {}): Promise<DevServer> {
  const app = await createFixtureApp({ ...files, ...changes });
  const child = startFramework(app.root, "dev", "--port", "0");
  const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
  const text = async (path: string): Promise<string> =>
    await (await fetch(new URL(path, origin))).text();
  return {
    app,
    text,
    output: child.output,
    async shows(words) {
      await until(() => text("/"), (body) => body.includes(words));
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The workerd of an application. */
function workerd(app: FixtureApp): number[] {
  return processesIn(app.root).filter((id) =>
    Deno.readTextFileSync(`/proc/${id}/cmdline`).split("\0")[0]!.endsWith("workerd")
  );
}

const onLinux = { ignore: Deno.build.os !== "linux" };

Deno.test("framework dev leaves durable objects alone, until their own code changes", async () => {
  await using dev = await startDev();
  const count = async (): Promise<unknown> => JSON.parse(await dev.text("/room"));
  assert.deepEqual(await count(), { inMemory: 1, stored: 1 });

  await dev.app.write("app/page.tsx", page("second"));
  await dev.shows("second");
  assert.deepEqual(await count(), { inMemory: 2, stored: 2 });

  await dev.app.write("app/objects/room.ts", room(10));
  await until(() => dev.output(), (output) => output.includes("Reloaded app/objects/room.ts"));
  assert.deepEqual(await count(), { inMemory: 10, stored: 3 });
});

Deno.test("framework dev lets a request end in the code in which it began", async () => {
  await using dev = await startDev();
  const slow = dev.text("/slow");
  await dev.text("/");
  await dev.app.write("lib/version.ts", 'export const version = "two";');
  await until(() => dev.output(), (output) => output.includes("Reloaded lib/version.ts"));
  assert.equal(await slow, '"one"');
  assert.equal(await dev.text("/slow"), '"two"');
});

Deno.test("framework dev names the places of each version's own code", async () => {
  await using dev = await startDev();
  await dev.text("/fails");
  await until(
    () => dev.output(),
    (output) => /Error: one\n.*app\/fails\/route\.ts:3:9/.test(output),
  );
  await dev.app.write("app/fails/route.ts", `\n\n${files["app/fails/route.ts"]}`);
  await dev.app.write("lib/version.ts", 'export const version = "two";');
  const fails = (): Promise<string> => dev.text("/fails").then(() => dev.output());
  await until(fails, (output) => /Error: two\n.*app\/fails\/route\.ts:5:9/.test(output));
});

// Tracks: F42
Deno.test("framework dev replaces a worker that computes without end", async () => {
  await using dev = await startDev();
  const endless = dev.text("/endless").catch(() => "ended");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await dev.app.write("app/endless/route.ts", 'export const GET = () => "mended";');
  await until(() => dev.output(), (output) => output.includes("Reloaded app/endless/route.ts"));
  assert.equal(await dev.text("/endless"), '"mended"');
  await endless;
});

// Tracks: F42
Deno.test("framework dev runs the newest code after workerd has died", onLinux, async () => {
  await using dev = await startDev();
  await dev.app.write("app/page.tsx", page("second"));
  await dev.shows("second");
  const before = workerd(dev.app);
  assert.equal(before.length, 1);
  Deno.kill(before[0]!, "SIGKILL");
  await until(() => workerd(dev.app), (found) => found.length === 1 && found[0] !== before[0]);
  await dev.shows("second");
  await dev.app.write("app/page.tsx", page("third"));
  await dev.shows("third");
});

Deno.test("framework dev starts workerd once for many edits", onLinux, async () => {
  await using dev = await startDev();
  const before = workerd(dev.app);
  for (const text of ["second", "third", "fourth"]) {
    await dev.app.write("app/page.tsx", page(text));
    await dev.shows(text);
  }
  await dev.app.write("app/page.tsx", "throw new Error('at the start'); export default () => 1;");
  await dev.shows("at the start");
  await dev.app.write("app/page.tsx", page("mended"));
  await dev.shows("mended");
  assert.deepEqual(workerd(dev.app), before);
});

// Tracks: R157
Deno.test("framework dev refuses at the start what a worker may not do there, in an edit too", async () => {
  await using dev = await startDev();
  await dev.app.write(
    "app/page.tsx",
    `const id = crypto.randomUUID();\nexport default () => <p>{id}</p>;`,
  );
  await dev.shows("not allowed within global scope");
  assert.match(await dev.text("/"), /app\/page\.tsx:1:/);
  await dev.app.write("app/page.tsx", "import { no } from 'node:fs';\n" + page("{no}"));
  await until(
    () => dev.text("/"),
    (body) => /No matching export|does not provide an export named/.test(body),
  );
  assert.doesNotMatch(await dev.text("/"), /shell\.js/);
});
