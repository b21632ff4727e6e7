import assert from "node:assert/strict";
import { readSchedule } from "./exports.ts";

for (
  const [source, schedule] of [
    ['export const schedule = "0 3 * * *";', ["0 3 * * *"]],
    ["// export const schedule = 1\nexport const schedule: string = '*/5 * * * *'", [
      "*/5 * * * *",
    ]],
    ['export const schedule = ["0 3 * * *", "0 4 * * *",] as const;', ["0 3 * * *", "0 4 * * *"]],
    ["export const schedule: readonly string[] = [\n  // nightly\n  'a',\n];", ["a"]],
    ["export const schedule = nightly;", null],
    ["export const schedule = [nightly, 'a'];", null],
    ["export const schedule = [];", null],
    ["export const schedule = `0 3 * * *`;", null],
    ["export { schedule } from './x.ts';", null],
    ["function f() { export const schedule = 'a'; }", null],
    ["", null],
  ] as const
) {
  Deno.test(`readSchedule() reads ${schedule} from ${JSON.stringify(source)}`, () => {
    assert.deepEqual(readSchedule(source), schedule);
  });
}
