/** The cost of an edit under `framework dev` does not depend on the number of routes. */
import assert from "node:assert/strict";
import { createFixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

/** Counts itself each time the worker evaluates it. */
function page(text: string): string {
  return `globalThis.evaluations = (globalThis.evaluations ?? 0) + 1;
export default () => <p>${text}</p>;`;
}

// Tracks: AB-07
Deno.test("framework dev evaluates the edited page among 120, and no other one", async () => {
  const files: Record<string, string> = {
    "app/page.tsx": page("first"),
    "app/count/route.ts": "export const GET = () => globalThis.evaluations;",
  };
  for (let index = 0; index < 120; index++) files[`app/p${index}/page.tsx`] = page(`of ${index}`);
  await using app = await createFixtureApp(files);
  const child = startFramework(app.root, "dev", "--port", "0");
  try {
    const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
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
  } finally {
    await child.stop();
  }
});
