// Four processes with the lines of docs/databases.md on one file, which none of them has made before.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { inMatrix } from "../support/matrix.ts";

const DOCUMENTED = join(repositoryRoot, "tests/storage/documented/sqlite_server.ts");
const PROCESSES = 4;
const USERS = 60;
const KILLS = inMatrix ? 3 : 1;

/** Additions of the test: each process signs up its own users, and all try to create the same ones. */
const ADDED = `
import { createUser, startSession, UserExistsError } from "@framework/auth";
const own = process.env.OWN;
let refused = 0;
for (let index = 0; index < ${USERS}; index++) {
  for (const id of [\`\${own}-\${index}\`, \`shared-\${index}\`]) {
    const request = new Request("http://localhost:8000/", { method: "POST" });
    const response = await auth.run(request, {}, undefined, async () => {
      try {
        await createUser({ id, email: \`\${id}@example.com\` });
        await startSession(id);
      } catch (error) {
        if (!(error instanceof UserExistsError)) throw error;
        refused++;
      }
      return new Response();
    });
    if (!response.ok) throw new Error(await response.text());
  }
  await new Promise((resolve) => setTimeout(resolve));
}
const { journal_mode } = await database.prepare("PRAGMA journal_mode").first();
console.log(JSON.stringify({ refused, journal_mode }));
`;

// Tracks: OP-08
Deno.test("four processes share a SQLite file by the documented lines: no sign-up fails, none is made twice", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-processes-" });
  const program = join(repositoryRoot, "tests/output", `sqlite_server_${Deno.pid}.ts`);
  await Deno.mkdir(join(repositoryRoot, "tests/output"), { recursive: true });
  await Deno.writeTextFile(program, await Deno.readTextFile(DOCUMENTED) + ADDED);
  const file = join(folder, "app.db");
  try {
    const results = await Promise.all(
      Array.from({ length: PROCESSES }, async (_, index) => {
        const child = startChild(Deno.execPath(), ["run", "-A", "--no-check", program], {
          cwd: repositoryRoot,
          env: { DATABASE_FILE: file, OWN: `own${index}` },
        });
        try {
          const [line] = await child.waitFor(/^\{.*\}$/m);
          return JSON.parse(line) as { refused: number; journal_mode: string };
        } finally {
          await child.stop().catch(() => {});
        }
      }),
    );
    for (const { journal_mode: mode } of results) assert.equal(mode, "wal");
    const refused = results.reduce((sum, result) => sum + result.refused, 0);
    assert.equal(refused, (PROCESSES - 1) * USERS);
    using database = new DatabaseSync(file);
    for (const table of ["users", "sessions"]) {
      const { n } = database.prepare(`SELECT count(*) AS n FROM ${table}`).get()!;
      assert.equal(n, (PROCESSES + 1) * USERS, table);
    }
    const { integrity_check: integrity } = database.prepare("PRAGMA integrity_check").get()!;
    assert.equal(integrity, "ok");
  } finally {
    await Deno.remove(program);
    await Deno.remove(folder, { recursive: true });
  }
});

/** Additions of the test: it signs up until it is killed, and says what was acknowledged. */
const ENDLESS = `
import { createUser, startSession } from "@framework/auth";
for (let index = 0;; index++) {
  const id = \`\${process.env.OWN}-\${index}\`;
  const request = new Request("http://localhost:8000/", { method: "POST" });
  const response = await auth.run(request, {}, undefined, async () => {
    await createUser({ id, email: \`\${id}@example.com\` });
    await startSession(id);
    return new Response();
  });
  if (response.ok) console.log("made", id);
}
`;

// Tracks: OP-08
Deno.test("processes that are killed lose nothing that was acknowledged, on one SQLite file", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-killed-" });
  const program = join(repositoryRoot, "tests/output", `sqlite_killed_${Deno.pid}.ts`);
  await Deno.mkdir(join(repositoryRoot, "tests/output"), { recursive: true });
  await Deno.writeTextFile(program, await Deno.readTextFile(DOCUMENTED) + ENDLESS);
  const file = join(folder, "app.db");
  try {
    const made = new Set<string>();
    for (let round = 0; round < KILLS; round++) {
      const children = ["a", "b"].map((name) =>
        startChild(Deno.execPath(), ["run", "-A", "--no-check", program], {
          cwd: repositoryRoot,
          env: { DATABASE_FILE: file, OWN: `${name}-${round}` },
        })
      );
      try {
        await Promise.all(children.map((child) => child.waitFor(/made \w-\d-20$/m)));
      } finally {
        for (const { pid } of children) Deno.kill(pid, "SIGKILL");
        await Promise.all(children.map((child) => child.ended));
      }
      for (const child of children) {
        for (const [, id] of child.output().matchAll(/^made (.*)$/gm)) made.add(id!);
      }
    }
    assert.ok(made.size >= 40 * KILLS, String(made.size));
    using database = new DatabaseSync(file);
    const query = "SELECT users.id FROM users JOIN sessions ON sessions.user_id = users.id";
    const found = new Set(database.prepare(query).all().map(({ id }) => id));
    assert.deepEqual([...made].filter((id) => !found.has(id)), []);
    const { integrity_check: integrity } = database.prepare("PRAGMA integrity_check").get()!;
    assert.equal(integrity, "ok");
  } finally {
    await Deno.remove(program);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("docs/databases.md shows the lines that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
  assert.ok(guide.includes(`\`\`\`ts ignore\n${await Deno.readTextFile(DOCUMENTED)}\`\`\``));
});
