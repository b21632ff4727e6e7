// The table of docs/testing.md says what was run, and its lines are those that the tests run.
import assert from "node:assert/strict";
import { readDocument } from "../docs/markdown.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import { CASES as BETTER_AUTH } from "./better_auth_cases.ts";
import { BUILT } from "./built_handlers.ts";
import { GENERATIONS, NEWER_EMULATOR, OF_STARTERS } from "./generations.ts";
import { CASES as PLAIN } from "./plain_cases.ts";
import { IN_POOL, SPECS, STARTERS } from "./starters.ts";

const of = (count: number) => `${count} of ${count}`;

const HONO = "Hono with D1, KV, R2, queues, objects";
const WITH_NEWER = `The same with miniflare ${NEWER_EMULATOR}`;
const DOCUMENTED = "The worker of this page";
const AUTH = "Better Auth 1.7.25 on D1 with Hono";
const STARTED = "Starters of create-cloudflare 2.67.4";
const SPEC_FILES = "Spec files of those starters, as they are";
const HANDLERS = "What SvelteKit and Astro have built";

Deno.test("the table of workers names the number of cases, which each engine passes", async () => {
  const table = await readTable("docs/testing.md", "worker pool");
  const documented = await readDocument("tests/workers/documented/tests/notes.test.ts");
  holdColumn(table, "process", {
    [HONO]: of(PLAIN.length),
    [DOCUMENTED]: of(documented.match(/^it\(/gm)!.length),
    [AUTH]: of(BETTER_AUTH.length),
    [STARTED]: of(Object.keys(STARTERS).length),
    [HANDLERS]: of(Object.keys(BUILT).length),
  });
  holdColumn(table, "workerd", {
    [HONO]: of(PLAIN.length),
    [WITH_NEWER]: of(PLAIN.length),
    [AUTH]: of(BETTER_AUTH.length),
    [STARTED]: of(Object.keys(STARTERS).length),
  });
  holdColumn(table, "worker pool", {
    [HONO]: of(PLAIN.length),
    [AUTH]: of(BETTER_AUTH.length),
    [STARTED]: of(IN_POOL.length),
    [SPEC_FILES]: of(Object.values(SPECS).reduce((sum, count) => sum + count, 0)),
  });
});

Deno.test("the table of workers names each vitest that its tests install", async () => {
  const table = await readTable("docs/testing.md", "worker pool");
  const named = (row: string) => table[row]!["runner"]!.match(/\d+\.\d+\.\d+/g) ?? [];
  for (const row of [HONO, AUTH]) assert.deepEqual(named(row), Object.keys(GENERATIONS));
  assert.deepEqual(named(STARTED), OF_STARTERS);
  assert.deepEqual(named(SPEC_FILES), OF_STARTERS);
});

Deno.test("the lines for signing in at Better Auth are those of its tests", async () => {
  const lines = await Deno.readTextFile(new URL("./better_auth_sign_in.ts", import.meta.url));
  assert.ok((await readDocument("docs/testing.md")).includes(lines));
});
