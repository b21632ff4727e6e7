import assert from "node:assert/strict";
import { framework } from "../support/command_line.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { startFramework } from "./framework.ts";

type Ask = (path: string, accept?: string) => Promise<string>;

/** Returns what `framework dev` has written, after it said so and the work was done. */
async function runDev(
  { root }: FixtureApp,
  said: RegExp,
  work: (ask: Ask) => Promise<unknown>,
): Promise<string> {
  const child = startFramework(root, "dev", "--port", "0");
  try {
    const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
    await child.waitFor(said);
    await work(async (path, accept = "text/html") =>
      await (await fetch(`${origin}${path}`, { headers: { accept } })).text()
    );
  } finally {
    await child.stop();
  }
  return child.output();
}

// Tracks: AB-18
Deno.test("framework dev warns of migrations that the local database has not seen", async () => {
  await using app = await createFixtureApp({
    "app/page.tsx": "export default () => <p>first</p>;",
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
    "migrations/0002_b.sql": "CREATE TABLE b (x);",
  });
  await runDev(
    app,
    /^warning: The local database lacks 0001_a\.sql and 1 more\. Run `framework migrate up`\.$/m,
    (ask) => ask("/"),
  );
  await app.write(
    "wrangler.jsonc",
    '{ "name": "fixture", "compatibility_date": "2026-07-30", "compatibility_flags": ["nodejs_compat"] }',
  );
  await runDev(
    app,
    /^warning: wrangler\.jsonc declares no D1 database DB, .+ `framework doctor --fix`/m,
    (ask) => ask("/"),
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
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
  });
  async function migrate(): Promise<void> {
    const { code, stderr } = await framework(app.root, "migrate", "up");
    assert.equal(code, 0, stderr);
  }
  await migrate();
  await runDev(app, /ready/, async (ask) => {
    await app.write("migrations/0002_notes.sql", "CREATE TABLE notes (x);");
    const note = "The local database lacks 0002_notes.sql. Run `framework migrate up`.";
    const html = await ask("/");
    assert.match(html, /no such table: notes/);
    assert.ok(html.includes(note.replaceAll("`", "&#96;")) || html.includes(note), html);
    const { message } = JSON.parse(await ask("/", "application/json"));
    assert.ok(message.startsWith(`${note}\n\n`), message);
    assert.doesNotMatch(await ask("/other"), /lacks/);

    await migrate();
    assert.match(await ask("/"), /0 notes/);
  });
});
