// The table of docs/testing.md says how many cases there are, and its lines are those that the tests run.
import assert from "node:assert/strict";
import { readDocument } from "../docs/markdown.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import { CASES as BETTER_AUTH } from "./better_auth_cases.ts";
import { CASES as PLAIN } from "./plain_cases.ts";
import { STARTERS } from "./starters.ts";

const of = ({ length }: readonly unknown[]) => `${length} of ${length}`;

Deno.test("the table of workers names the number of cases, which each engine passes", async () => {
  const table = await readTable("docs/testing.md", "process");
  const counts = {
    "Hono with D1, KV, R2, queues, objects": of(PLAIN),
    "Better Auth 1.7.25 on D1 with Hono": of(BETTER_AUTH),
    "Starters of create-cloudflare 2.67.4": of(Object.keys(STARTERS)),
  };
  holdColumn(table, "process", counts);
  holdColumn(table, "workerd", counts);
});

Deno.test("the lines for signing in at Better Auth are those of its tests", async () => {
  const lines = await Deno.readTextFile(new URL("./better_auth_sign_in.ts", import.meta.url));
  assert.ok((await readDocument("docs/testing.md")).includes(lines));
});
