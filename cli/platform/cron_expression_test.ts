import assert from "node:assert/strict";
import { isDue, wrongCron } from "./cron_expression.ts";

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
