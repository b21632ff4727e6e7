import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { startRuntimes } from "./runtimes.ts";
import type { Hashed } from "./suite.ts";

function randomPasswords(length: number): string[] {
  return Array.from({ length }, () => {
    const points = crypto.getRandomValues(new Uint32Array(1 + Math.floor(Math.random() * 40)));
    // From all planes; a lone surrogate is no character.
    return String.fromCodePoint(...points.map((point) => point % 0x10ffff)).toWellFormed();
  });
}

Deno.test({
  name: "the runtimes behave alike",
  ignore: !nodeIsAvailable,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const runtimes = await startRuntimes();
    try {
      const reports: {
        column: string;
        outcomes: Map<string, string>;
        seen: Map<string, string>;
        /** The cases that it was asked for; null for all. */
        asked: string[] | null;
      }[] = [];
      for (const { name, databases, ask } of runtimes.all) {
        let asked: string[] | null = null;
        for (const database of databases) {
          const { results = [] } = await ask({
            run: database,
            rounds: inMatrix ? 20 : 1,
            ...(asked && { names: asked }),
          });
          reports.push({
            column: `${name}, ${database}`,
            outcomes: new Map(results.map((result) => [result.name, result.outcome])),
            seen: new Map(results.map((result) => [result.name, result.seen])),
            asked,
          });
          // A case that wants no database is the same over each.
          asked = results.filter(({ stores }) => stores).map((result) => result.name);
        }
      }
      const [first] = reports;
      assert.ok(first !== undefined && first.outcomes.size > 0);
      for (const name of first.outcomes.keys()) {
        await test.step(name, () => {
          for (const { column, outcomes, seen, asked } of reports) {
            if (asked?.includes(name) === false) continue;
            assert.equal(outcomes.get(name), "passed", column);
            assert.equal(seen.get(name), first.seen.get(name), `${column} saw something else`);
          }
        });
      }
      await test.step("every runtime ran the same cases", () => {
        const all = [...first.outcomes.keys()];
        for (const { column, outcomes, asked } of reports) {
          assert.deepEqual([...outcomes.keys()], asked ?? all, column);
          assert.ok(outcomes.size > all.length / 2, column);
        }
        const columns = reports.map(({ column }) => column);
        // deno-lint-ignore no-console -- the list of cases and results is what this test shows
        console.log(`${first.outcomes.size} cases, each passed on: ${columns.join("; ")}`);
      });

      // Tracks: R005
      await test.step("a hash of any runtime holds on all others", async () => {
        const made: { by: string; hashed: Hashed[] }[] = [];
        for (const { name, ask } of runtimes.all) {
          const { hashed = [] } = await ask({ hash: randomPasswords(50) });
          assert.equal(hashed.length, 50);
          made.push({ by: name, hashed });
        }
        for (const [place, { name, ask }] of runtimes.all.entries()) {
          const foreign = made.filter(({ by }) => by !== name);
          // The second is checked with the password of the first, so that "holds" means something. The first, which has the
          // whole cost, by the next runtime alone: how a password becomes a hash does not depend on the cost.
          const next = made[(place + 1) % made.length]!.by;
          const verify = foreign.flatMap(({ by, hashed: [first, second, ...others] }) => [
            ...by === next || inMatrix ? [first!] : [],
            { password: first!.password, hash: second!.hash },
            ...others,
          ]);
          const { refused } = await ask({ verify });
          assert.deepEqual(refused, foreign.map(({ hashed }) => hashed[1]!.hash), `on ${name}`);
        }
      });
    } finally {
      await runtimes.close();
    }
  },
});
