import assert from "node:assert/strict";
import { impossibleCron, isDue, wrongCron } from "./cron_expression.ts";

Deno.test.each([
  ["* * * * *", "2026-11-23T21:26:00Z", true],
  ["0 3 * * *", "2026-11-23T03:00:00Z", true],
  ["0 3 * * *", "2026-11-23T03:01:00Z", false],
  ["*/15 * * * *", "2026-11-23T03:45:00Z", true],
  ["*/15 * * * *", "2026-11-23T03:46:00Z", false],
  ["5/20 * * * *", "2026-11-23T03:45:00Z", true],
  ["0 8-10,22 * * *", "2026-11-23T22:00:00Z", true],
  ["0 8-10,22 * * *", "2026-11-23T11:00:00Z", false],
  // The 23rd is a Monday: 2 on Workers, where 1 is Sunday.
  ["0 0 * * MON", "2026-11-23T00:00:00Z", true],
  ["0 0 * * 2", "2026-11-23T00:00:00Z", true],
  ["0 0 * * 1", "2026-11-22T00:00:00Z", true],
  ["0 0 * * mon-fri", "2026-11-22T00:00:00Z", false],
  ["0 0 1 JAN,jul *", "2027-01-01T00:00:00Z", true],
  ["0 0 29 2 *", "2028-02-29T00:00:00Z", true],
])("the schedule %s at %s is due: %s", (expression, time, expected) => {
  assert.equal(isDue(expression, Date.parse(time)), expected);
});

Deno.test.each([
  ["* * * *", /has 4 fields instead of 5/],
  ["60 * * * *", /has a minute .*"60"/],
  ["*/0 * * * *", /has a minute/],
  ["5-1 * * * *", /has a minute/],
  ["0 0 L * *", /has a day of the month .*"L"/],
  ["0 0 * * 0", /has a day of the week .*"0"/],
  ["0 0 * * MON#1", /has a day of the week/],
  ["0 0 * * 5L", /has a day of the week/],
  ["0 0 1 * MON", /restricts both/],
  ["@daily", /fields/],
])("the schedule %s is refused: %s", (expression, expected) => {
  assert.match(wrongCron(expression) ?? "", expected);
});

Deno.test.each([
  ["99 3 * * *", /names "99" as its minute, which/],
  ["0 24 * * *", /as its hour/],
  ["0 0 0 * *", /as its day of the month/],
  ["0 0 1-32 * *", /as its day of the month/],
  ["0 0 1 13 *", /as its month/],
  ["0 0 * * 8", /as its day of the week/],
  ["0 0 * * 0", /as its day of the week, which does not exist: 1 is Sunday/],
  ["0 0 * FOO *", /as its month/],
  ["0,,5 0 * * *", /as its minute/],
  ["0 0 * *", /has 4 fields instead of 5/],
])("the schedule %s is impossible: %s", (expression, expected) => {
  assert.match(impossibleCron(expression) ?? "", expected);
});

Deno.test("every expression that Workers read is possible, also what a server does not run", () => {
  const expressions = ["*/30 * * * *", "45 * * * *", "0 17 * * sun", "10 7 * * mon-fri"]
    .concat(["0 15 1 * *", "59 23 LW * *", "0 18 * * 6L", "0 18 * * FRIL", "0 0 15W * *"])
    .concat(["0 0 * * MON#1", "0 0 * * 2#3", "0 0 L-3 * *", "0 0 ? JAN,jul *", "0 0 1 * MON"])
    .concat(["5/20 8-10,22 * * *", "59 23 31 12 7", "0-59/2 0 1W * *"]);
  assert.deepEqual(expressions.filter((expression) => impossibleCron(expression) !== null), []);
});
