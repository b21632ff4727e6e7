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
  await app.write(
    "wrangler.jsonc",
    '{ "name": "fixture", "compatibility_date": "2026-07-30", "compatibility_flags": ["nodejs_compat"] }',
  );
  await startDev(
    /^warning: wrangler\.jsonc declares no D1 database DB, .+ `framework doctor --fix`/m,
  );
});

// Tracks: AB-18
Deno.test("framework dev names the pending migration in the page of an error that it may be the reason of", async () => {
  await using app = await createFixtureApp({
    "app/page.tsx":
      `export const loader = ({ context }) => context.db.selectFrom("notes").selectAll().execute();
export default ({ data }) => <p>{data.length} notes</p>;`,
    "app/other/page.tsx": `export const loader = () => { throw new Error("another reason"); };
export default () => null;`,
    "migrations/0001_notes.sql": "CREATE TABLE notes (x);",
  });
  const child = startFramework(app.root, "dev", "--port", "0");
  try {
    const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
    const ask = async (path: string, accept: string): Promise<string> =>
      await (await fetch(`${origin}${path}`, { headers: { accept } })).text();
    const note = "The local database lacks 0001_notes.sql. Run `framework migrate up`.";
    const html = await ask("/", "text/html");
    assert.match(html, /no such table: notes/);
    assert.ok(html.includes(note.replaceAll("`", "&#96;")) || html.includes(note), html);
    const { message } = JSON.parse(await ask("/", "application/json"));
    assert.ok(message.startsWith(`${note}\n\n`), message);
    assert.doesNotMatch(await ask("/other", "text/html"), /lacks/);

    assert.equal((await runFramework(app.root, "migrate", "up")).code, 0);
    assert.match(await ask("/", "text/html"), /0 notes/);
  } finally {
    await child.stop();
  }
});
