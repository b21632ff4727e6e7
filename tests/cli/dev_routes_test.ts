/** The cost of an edit under `framework dev` does not depend on the number of routes, and that of a request is told. */
import assert from "node:assert/strict";
import type { Child } from "../support/child.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

// The server's output is read from test to test.
Deno.test.sanitizer({ ops: false, resources: false });

/** Counts itself each time the worker evaluates it. */
function page(text: string): string {
  return `globalThis.evaluations = (globalThis.evaluations ?? 0) + 1;
export default () => <p>${text}</p>;`;
}

let app: FixtureApp;
let child: Child;
let origin: string;
Deno.test.beforeAll(async () => {
  const files: Record<string, string> = {
    "app/page.tsx": page("first"),
    "app/count/route.ts": "export const GET = () => globalThis.evaluations;",
    "app/middleware.ts": "export const middleware = (_request, next) => next();",
    "app/users/[name]/page.tsx":
      `export const loader = ({ context }) => context.env.DB.prepare("SELECT 1").first();
export default ({ params }) => <h1>{params.name}</h1>;`,
    "app/deep/page.tsx": `const Deep = ({ left }: { left: number }) => {
  if (left === 0) throw new TypeError("too deep");
  return <b><Deep left={left - 1} /></b>;
};
export default () => <Deep left={3} />;`,
  };
  for (let index = 0; index < 120; index++) files[`app/p${index}/page.tsx`] = page(`of ${index}`);
  app = await createFixtureApp(files);
  child = startFramework(app.root, "dev", "--port", "0", "--verbose");
  [, origin = ""] = await child.waitFor(/fixture is ready at (http:\S+)/);
});
Deno.test.afterAll(async () => {
  await (child as Child | undefined)?.stop();
  await (app as FixtureApp | undefined)?.[Symbol.asyncDispose]();
});

// Tracks: AB-07
Deno.test("framework dev evaluates the edited page among 120, and no other one", async () => {
  const text = async (path: string): Promise<string> =>
    await (await fetch(new URL(path, origin))).text();
  const edit = async (path: string, content: string, shows: string): Promise<number> => {
    await app.write(path, content);
    await until(() => text(shows), (body) => body.includes("edited"));
    return Number(await text("/count"));
  };

  const before = Number(await text("/count"));
  assert.equal(before, 121);
  assert.equal(await edit("app/page.tsx", page("edited"), "/"), before + 1);
  assert.equal(await edit("app/p7/page.tsx", page("edited"), "/p7"), before + 2);
  // A route more is one file more.
  assert.equal(await edit("app/added/page.tsx", page("edited"), "/added"), before + 3);
});

Deno.test("framework dev tells in Server-Timing what took how long", async () => {
  const response = await fetch(`${origin}/users/ada`);
  assert.equal(response.status, 200, await response.text());
  const timing = response.headers.get("server-timing") ?? "";
  assert.match(timing, /loader;desc="app\/users\/\[name\]\/page\.tsx";dur=\d+\.\d/);
  assert.match(timing, /middleware;desc="app\/middleware\.ts";dur=/);
  assert.match(timing, /request;desc="\/users\/:name";dur=\d+\.\d$/);
});

// Tracks: AB-18
Deno.test("framework dev --verbose writes every line of an error's stack", async () => {
  const answer = await fetch(`${origin}/deep`);
  await answer.body?.cancel();
  await child.waitFor(/GET \/deep failed\.[^]*?at Deep[^]*?hono\/dist\/jsx\/base\.js/);
  assert.doesNotMatch(child.output(), /… and \d+ line/);
});
