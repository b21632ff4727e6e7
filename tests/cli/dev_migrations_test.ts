import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { startFramework } from "./framework.ts";

// Tracks: AB-18
Deno.test("framework dev warns of migrations that the local database has not seen, of such that are gone, and names the pending one in the page of an error that it may be the reason of", async () => {
  await using app = await createFixtureApp({
    "app/page.tsx":
      `export const loader = ({ context }) => context.db.selectFrom("notes").selectAll().execute();
export default ({ data }) => <p>{data.length} notes</p>;`,
    "app/other/page.tsx": `export const loader = () => { throw new Error("another reason"); };
export default () => null;`,
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
    "migrations/0002_b.sql": "CREATE TABLE b (x);",
  });
  async function migrate(): Promise<void> {
    const { code, stderr } = await framework(app.root, "migrate", "up");
    assert.equal(code, 0, stderr);
  }
  const child = startFramework(app.root, "dev", "--port", "0");
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
  const ask = async (path: string, accept = "text/html"): Promise<string> =>
    await (await fetch(`${origin}${path}`, { headers: { accept } })).text();
  await child.waitFor(
    /^warning: The local database lacks 0001_a\.sql and 1 more\. Run `framework migrate up`\.$/m,
  );

  await migrate();
  await app.write("migrations/0003_notes.sql", "CREATE TABLE notes (x);");
  const note = "The local database lacks 0003_notes.sql. Run `framework migrate up`.";
  await child.waitFor(
    /^warning: The local database lacks 0003_notes\.sql\. Run `framework migrate up`\.$/m,
  );
  const html = await ask("/");
  assert.match(html, /no such table: notes/);
  assert.ok(html.includes(note.replaceAll("`", "&#96;")) || html.includes(note), html);
  const { message } = JSON.parse(await ask("/", "application/json"));
  assert.ok(message.startsWith(`${note}\n\n`), message);
  assert.doesNotMatch(await ask("/other"), /lacks/);

  await migrate();
  assert.match(await ask("/"), /0 notes/);

  await rm(join(app.root, "migrations/0003_notes.sql"));
  await child.waitFor(
    /^warning: The local database has 0003_notes\.sql, which no file describes any more\. Restore it/m,
  );
});
