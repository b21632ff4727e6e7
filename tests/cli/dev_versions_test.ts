/**
 * `framework dev` takes up an edit in the worker that runs: what it holds in memory stays, and whatever stops that from
 * working ends in a worker that runs the newest code all the same.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { processesIn, startFramework, stepsInOrder, until } from "./framework.ts";

const platform = {
  name: "fixture",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  "durable_objects": { bindings: [{ name: "ROOM", "class_name": "Room" }] },
  migrations: [{ tag: "v1", "new_sqlite_classes": ["Room"] }],
  queues: { consumers: [{ queue: "mails" }] },
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
  "app/queues/mails.ts": "export function queue() {}",
  "app/slow/route.ts": `import { version } from "../../lib/version.ts";
export async function GET(_request, { env }) {
  await fetch(env.BESIDE);
  return version;
}`,
  "app/endless/route.ts": `export async function GET(_request, { env }) {
  await fetch(env.BESIDE);
  for (;;);
}
export const POST = () => "taken";`,
  "app/fails/route.ts": `import { version } from "../../lib/version.ts";
export function GET() {
  throw new Error(version);
}`,
  "lib/version.ts": 'export const version = "one";',
};

/** A server beside the application, which a route asks in the middle of its work. */
interface Beside extends AsyncDisposable {
  origin: string;
  /** Resolves once it was asked, with what answers. */
  asked(): Promise<() => void>;
}

function startBeside(): Beside {
  const waiting: (() => void)[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return new Response("now");
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    async asked() {
      await until(() => waiting.length, (count) => count > 0);
      return waiting.shift()!;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface DevServer extends AsyncDisposable {
  app: FixtureApp;
  text(path: string, init?: RequestInit): Promise<string>;
  output(): string;
  /** Waits until the page shows it. */
  shows(text: string): Promise<void>;
  /** Writes a file and waits until its change runs. */
  reload(path: string, text: string): Promise<void>;
}

async function startDev(beside: Beside): Promise<DevServer> {
  const app = await createFixtureApp({ ...files, ".dev.vars": `BESIDE=${beside.origin}` });
  const child = startFramework(app.root, "dev", "--port", "0");
  const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
  const text = async (path: string, init?: RequestInit): Promise<string> =>
    await (await fetch(new URL(path, origin), init)).text();
  const reloads = (path: string): number => child.output().split(`Reloaded ${path}`).length - 1;
  return {
    app,
    text,
    output: child.output,
    async shows(words) {
      await until(() => text("/"), (body) => body.includes(words));
    },
    async reload(path, content) {
      const before = reloads(path);
      await app.write(path, content);
      await until(() => reloads(path), (count) => count > before);
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The workerd of an application; none where there is no /proc to ask. */
function workerd(app: FixtureApp): number[] {
  return processesIn(app.root).filter((id) =>
    Deno.readTextFileSync(`/proc/${id}/cmdline`).split("\0")[0]!.endsWith("workerd")
  );
}

async function refuseAll(listener: Deno.Listener): Promise<void> {
  for await (const connection of listener) connection.close();
}

/** Kills workerd and listens where it did, before the next one does. */
async function takePorts(app: FixtureApp): Promise<DisposableStack> {
  const taken = new DisposableStack();
  const deadline = Date.now() + 30_000;
  for (let left = portsOf(workerd(app)[0]!); left.length > 0;) {
    if (Date.now() > deadline) throw new Error(`Ports ${left} are not to be had.`);
    for (const id of workerd(app)) Deno.kill(id, "SIGKILL");
    for (let attempt = 0; left.length > 0 && attempt < 20; attempt++) {
      left = left.filter((port) => {
        try {
          void refuseAll(taken.use(Deno.listen({ hostname: "127.0.0.1", port })));
          return false;
        } catch {
          return true;
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return taken;
}

/** Ports that a process listens on. */
function portsOf(id: number): number[] {
  const sockets = [...Deno.readDirSync(`/proc/${id}/fd`)].map(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/${id}/fd/${name}`);
    } catch {
      return "closed while the list was read";
    }
  });
  return Deno.readTextFileSync("/proc/net/tcp").trim().split("\n").map((line) =>
    line.trim().split(/\s+/)
  ).filter(([, , , state, ...rest]) => state === "0A" && sockets.includes(`socket:[${rest[5]}]`))
    .map(([, local]) => Number.parseInt(local!.split(":")[1]!, 16));
}

const onLinux = { ignore: Deno.build.os !== "linux" };

Deno.test("framework dev takes up edits in the worker that runs", async (t) => {
  await using beside = startBeside();
  await using dev = await startDev(beside);
  const test = stepsInOrder(t);
  let started: number[] = [];

  await test("the tools run in the command's own process under Deno", async () => {
    const programs = await Promise.all(
      processesIn(dev.app.root).map((id) => Deno.readTextFile(`/proc/${id}/cmdline`)),
    );
    const own = programs.filter((program) => program.split("\0")[0] === Deno.execPath());
    assert.equal(own.length, 1);
  }, onLinux);

  await test("the types that are missing are written", async () => {
    const read = (): Promise<string[]> =>
      Promise.all(
        ["index.d.ts", "app.ts", "assets.d.ts"].map((name) =>
          Deno.readTextFile(join(dev.app.root, ".framework/types", name))
        ),
      );
    const written = await until(() => read().catch(() => []), (found) => found.length > 0);
    const { code, stderr } = await framework(dev.app.root, "types");
    assert.equal(code, 0, stderr);
    assert.deepEqual(written, await read());
  });

  await test("durable objects are left alone, until their own code changes", async () => {
    const count = async (): Promise<unknown> => JSON.parse(await dev.text("/room"));
    assert.deepEqual(await count(), { inMemory: 1, stored: 1 });

    await dev.app.write("app/page.tsx", page("second"));
    await dev.shows("second");
    assert.deepEqual(await count(), { inMemory: 2, stored: 2 });

    await dev.reload("app/objects/room.ts", room(10));
    assert.deepEqual(await count(), { inMemory: 10, stored: 3 });
    assert.match(
      dev.output(),
      /Reloaded app\/objects\/room\.ts \(\d+ ms\)\. workerd was started again: messages that waited/,
    );
    assert.equal(dev.output().split("started again").length, 2);
    started = workerd(dev.app);
  });

  await test("a request ends in the code in which it began", async () => {
    const slow = dev.text("/slow");
    const answer = await beside.asked();
    await dev.reload("lib/version.ts", 'export const version = "two";');
    answer();
    assert.equal(await slow, '"one"');
    const next = dev.text("/slow");
    (await beside.asked())();
    assert.equal(await next, '"two"');
  });

  await test("the places of each version's own code are named", async () => {
    const fails = (): Promise<string> => dev.text("/fails").then(() => dev.output());
    await until(fails, (output) => /Error: two\n.*app\/fails\/route\.ts:3:9/.test(output));
    await dev.app.write("app/fails/route.ts", `\n\n${files["app/fails/route.ts"]}`);
    await dev.app.write("lib/version.ts", 'export const version = "three";');
    await until(fails, (output) => /Error: three\n.*app\/fails\/route\.ts:5:9/.test(output));
  });

  await test("workerd is started once for many edits", async () => {
    await dev.app.write("app/page.tsx", "throw new Error('at the start'); export default () => 1;");
    await dev.shows("at the start");
    await dev.app.write("app/page.tsx", page("mended"));
    await dev.shows("mended");
    assert.equal(started.length, 1);
    assert.deepEqual(workerd(dev.app), started);
  }, onLinux);

  await test("the file that has every edit bundle everything is named once, until it is gone", async () => {
    const said = (): number =>
      dev.output().split(
        "which takes longer, because of lib/old.cjs: it is CommonJS.",
      ).length - 1;
    const old = (text: string): string =>
      `import { old } from "../lib/old.cjs";\n${page(`{old} ${text}`)}`;
    await dev.app.write("lib/old.cjs", "exports.old = 'CommonJS';");
    await dev.app.write("app/page.tsx", old("first"));
    await dev.shows("CommonJS first");
    await dev.reload("app/page.tsx", old("second"));
    await dev.shows("CommonJS second");
    assert.equal(said(), 1);
    await dev.reload("app/page.tsx", page("mended again"));
    await dev.shows("mended again");
    assert.equal(said(), 1);
    await dev.reload("app/page.tsx", old("third"));
    assert.equal(said(), 2);
    await dev.app.write("app/page.tsx", page("mended"));
    await dev.shows("mended");
  });

  await test("the first client component runs in the browser, although it needs more of hono than was loaded", async () => {
    await dev.app.write(
      "app/_components/like.tsx",
      `"use client";
import { useState } from "hono/jsx";
export function Like() {
  const [count] = useState(3);
  return <b>{count}</b>;
}`,
    );
    const source = 'import { Like } from "./_components/like.tsx";\n';
    await dev.app.write("app/page.tsx", `${source}export default () => <p>fifth <Like /></p>;`);
    await until(() => dev.text("/"), (body) => body.includes("<b>3</b>"));
    assert.match(await dev.text("/"), /<framework-island [^]*<b>3<\/b>/);
  });

  // Tracks: R157
  await test("what a worker may not do at the start is refused in an edit too", async () => {
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
    await dev.app.write("app/page.tsx", page("sixth"));
    await dev.shows("sixth");
  });

  // Tracks: F42
  await test("a worker that computes without end is replaced", async () => {
    const endless = dev.text("/endless").catch(() => "ended");
    (await beside.asked())();
    await dev.reload("app/endless/route.ts", 'export const GET = () => "mended";');
    assert.equal(await dev.text("/endless"), '"mended"');
    await endless;
  });

  // Tracks: F42
  await test("a request that computes without end is named, and other pages work", async () => {
    await dev.reload("app/endless/route.ts", files["app/endless/route.ts"]);
    const endless = dev.text("/endless");
    (await beside.asked())();
    const hung = await endless;
    // It waits until another worker runs, although it could not be sent a second time.
    const headers = { "content-type": "application/json" };
    assert.equal(await dev.text("/endless", { method: "POST", headers, body: "1" }), '"taken"');
    for (const text of [hung, dev.output()]) {
      assert.match(text, /The worker .*\. Without an answer: GET \/endless\. /);
    }
    await dev.shows("sixth");
    assert.doesNotMatch(dev.output(), /process ended/);
  });

  // Tracks: F42
  await test("the newest code runs after workerd has died", async () => {
    await dev.shows("sixth");
    const before = workerd(dev.app);
    assert.equal(before.length, 1);
    Deno.kill(before[0]!, "SIGKILL");
    await until(() => workerd(dev.app), (found) => found.length === 1 && found[0] !== before[0]);
    await dev.shows("sixth");
    assert.equal(dev.output().split("The worker's process ended (signal SIGKILL)").length, 2);
    await dev.app.write("app/page.tsx", page("seventh"));
    await dev.shows("seventh");
  }, onLinux);

  // Tracks: F42
  await test(
    "the newest code runs after somebody took the port of a workerd that died",
    async () => {
      using _taken = await takePorts(dev.app);
      await dev.shows("seventh");
      await dev.app.write("app/page.tsx", page("eighth"));
      await dev.shows("eighth");
    },
    onLinux,
  );
});
