import assert from "node:assert/strict";
import { createFixtureApp } from "./fixture_app.ts";
import { runFramework, startFramework } from "./framework.ts";

// Tracks: AB-18
Deno.test("framework dev warns of migrations that the local database has not seen", async () => {
  await using app = await createFixtureApp({
    "app/page.tsx": "export default () => <p>first</p>;",
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
    "migrations/0002_b.sql": "CREATE TABLE b (x);",
  });
  async function startDev(said: RegExp): Promise<string> {
    const child = startFramework(app.root, "dev", "--port", "0");
    try {
      const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
      await child.waitFor(said);
      await (await fetch(origin!)).body?.cancel();
    } finally {
      await child.stop();
    }
    return child.output();
  }
  await startDev(
    /^warning: The local database lacks 0001_a\.sql and 1 more\. Run `framework migrate up`\.$/m,
  );
  assert.equal((await runFramework(app.root, "migrate", "up")).code, 0);
  assert.doesNotMatch(await startDev(/ready/), /lacks/);
  await app.write("migrations/0003_c.sql", "CREATE TABLE c (x);");
  await startDev(/lacks 0003_c\.sql\. Run/);
});
