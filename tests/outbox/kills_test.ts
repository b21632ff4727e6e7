// What is told of users and sessions by a process that is killed again and again, at any moment.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAuth, outbox, type OutboxMessage } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { inMatrix } from "../support/matrix.ts";

const KILLS = inMatrix ? 60 : 4;

/** Counts of the events of each type about each user. */
async function countEvents(path: string): Promise<Map<string, Map<string, number>>> {
  const found = new Map<string, Map<string, number>>();
  const seen = new Set<string>();
  using file = new DatabaseSync(path);
  const parent = {
    id: "parent",
    deliver({ id, type, data }: OutboxMessage) {
      assert.ok(!seen.has(id), `${id} comes twice`);
      seen.add(id);
      const ofUser = found.get(String(data.userId)) ?? new Map<string, number>();
      found.set(String(data.userId), ofUser);
      ofUser.set(type, (ofUser.get(type) ?? 0) + 1);
      return Promise.resolve();
    },
  };
  const auth = createAuth({
    database: sqlite(file),
    secret: "a secret of at least thirty-two bytes",
    providers: [outbox({ destinations: [parent] })],
  });
  for (let more = true; more;) {
    more = (await auth.deliver({}, { limit: 100_000, seconds: 60 })).more;
  }
  assert.deepEqual(file.prepare("SELECT * FROM auth_outbox").all(), []);
  return found;
}

Deno.test({
  name:
    "every change of a process that is killed at any moment has its event, and no event is of another change",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "framework-kills-" });
    const path = join(folder, "app.db");
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const args = ["run", "-A", "--no-check", join("tests", "outbox", "changes.ts"), path];
        const child = startChild(Deno.execPath(), args, { cwd: repositoryRoot });
        await child.waitFor(/begun/);
        await new Promise((resolve) => setTimeout(resolve, 20 + (kill * 37) % 230));
        Deno.kill(child.pid, "SIGKILL");
        await child.ended;
        assert.doesNotMatch(child.output(), /Error/);
      }
      const rows = (sql: string): Record<string, unknown>[] => {
        using file = new DatabaseSync(path);
        return file.prepare(sql).all();
      };
      const users = new Map(
        rows("SELECT id, disabled_at FROM users").map((row) => [row.id, row.disabled_at]),
      );
      const sessions = new Map(
        rows("SELECT user_id, COUNT(*) AS n FROM sessions GROUP BY user_id")
          .map((row) => [row.user_id, row.n]),
      );
      const events = await countEvents(path);
      for (const id of users.keys()) {
        assert.equal(events.get(String(id))?.get("sign-up"), 1, `sign-up of ${id}`);
      }
      for (const [id, ofUser] of events) {
        assert.equal(ofUser.get("sign-up"), 1, `sign-up of ${id}`);
        assert.equal(ofUser.get("user-deleted") === 1, !users.has(id), `${id} is there or deleted`);
        if (!users.has(id)) continue;
        assert.equal(ofUser.get("user-disabled") === 1, users.get(id) !== null, `${id} disabled`);
        // Each has one session, which is there or has been ended.
        if (sessions.get(id) === 1) assert.equal(ofUser.get("sign-in"), 1, `sign-in of ${id}`);
        if (ofUser.get("sign-in") === 1 && !ofUser.has("session-revoked")) {
          assert.equal(sessions.get(id), 1, `session of ${id}`);
        }
        assert.ok(ofUser.has("sign-in") || !sessions.has(id), `${id} is not signed in`);
      }
      assert.ok(events.size > KILLS, `${events.size} users`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
