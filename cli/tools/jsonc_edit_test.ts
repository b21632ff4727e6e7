import assert from "node:assert/strict";
import { parseJsonc } from "./jsonc.ts";
import { appendToList, formatInline } from "./jsonc_edit.ts";

const consumers = ["queues", "consumers"];
const mails = { queue: "mails" };
const added = '{ "queue": "mails" }';

for (
  const [what, before, after] of [
    ["an empty file", "{}", `{ "queues": { "consumers": [${added}] } }`],
    [
      "a file that ends with a comment",
      '{\n  "name": "app" // the worker\n}\n',
      `{\n  "name": "app", // the worker\n  "queues": { "consumers": [${added}] }\n}\n`,
    ],
    [
      "a trailing comma",
      '{\n\t"name": "app",\n\t// end\n}\n',
      `{\n\t"name": "app",\n\t// end\n\t"queues": { "consumers": [${added}] },\n}\n`,
    ],
    [
      "a comma that only a comment has",
      '{\n  "name": "app" /* a, b */\n}',
      `{\n  "name": "app", /* a, b */\n  "queues": { "consumers": [${added}] }\n}`,
    ],
    [
      "a section without the list, on one line",
      '{ "queues": { "producers": [] } }',
      `{ "queues": { "producers": [], "consumers": [${added}] } }`,
    ],
    [
      "an empty section",
      '{\r\n  "queues": {\r\n  }\r\n}\r\n',
      `{\r\n  "queues": {\r\n    "consumers": [${added}]\r\n  }\r\n}\r\n`,
    ],
    [
      "an empty list with a comment",
      '{\n  "queues": {\n    "consumers": [\n      // none yet\n    ]\n  }\n}',
      `{\n  "queues": {\n    "consumers": [\n      // none yet\n      ${added}\n    ]\n  }\n}`,
    ],
    [
      "a list on one line",
      '{ "queues": { "consumers": [{ "queue": "jobs" }] } }',
      `{ "queues": { "consumers": [{ "queue": "jobs" }, ${added}] } }`,
    ],
    [
      "a list whose object takes several lines",
      '{\n  "queues": {\n    "consumers": [{\n      "queue": "jobs"\n    }]\n  }\n}',
      `{\n  "queues": {\n    "consumers": [{\n      "queue": "jobs"\n    }, ${added}]\n  }\n}`,
    ],
    [
      "a list with a line for each",
      '{\n  "queues": {\n    "consumers": [\n      { "queue": "a,]" } // "x", y\n    ]\n  }\n}',
      `{\n  "queues": {\n    "consumers": [\n      { "queue": "a,]" }, // "x", y\n      ${added}\n    ]\n  }\n}`,
    ],
    [
      "a byte order mark and another key of the same name",
      '\ufeff{"env":{"queues":{"consumers":[]}},"queues":{"consumers":[]}}',
      `\ufeff{"env":{"queues":{"consumers":[]}},"queues":{"consumers":[${added}]}}`,
    ],
  ] as const
) {
  Deno.test(`appendToList() preserves ${what}`, () => {
    const text = appendToList(before, { path: consumers, item: mails })!;
    assert.equal(text, after);
    const value = parseJsonc(text).value as unknown as { queues: { consumers: unknown[] } };
    assert.deepEqual(value.queues.consumers.at(-1), mails);
  });
}

Deno.test("appendToList() gives a long value a line for each part", () => {
  const item = { tag: "v1", ["new_sqlite_classes"]: ["A".repeat(60), "B".repeat(40)] };
  const text = appendToList('{\n  "name": "app"\n}\n', { path: ["migrations"], item })!;
  assert.ok(text.split("\n").every((line) => line.length <= 100), text);
  assert.match(text, /^ {2}"migrations": \[\n {4}\{\n {6}"tag": "v1",\n {6}"new_sqlite/m);
  assert.deepEqual(parseJsonc(text).value, { name: "app", migrations: [item] });
});

Deno.test("appendToList() breaks a line that would become too long, unless a comment is in it", () => {
  const jobs = `{ "queue": "${"j".repeat(70)}" }`;
  const before = `{\n  "queues": { "consumers": [${jobs}] },\n  "name": "app"\n}\n`;
  const first = appendToList(before, { path: consumers, item: mails })!;
  assert.equal(
    first,
    `{\n  "queues": { "consumers": [\n    ${jobs},\n    ${added}\n  ] },\n  "name": "app"\n}\n`,
  );
  const producers = ["queues", "producers"];
  const item = { binding: "MAILS", queue: "m".repeat(55) };
  assert.equal(
    appendToList('{\n  "queues": { "consumers": [] }\n}\n', { path: producers, item }),
    `{\n  "queues": {\n    "consumers": [],\n    "producers": [\n      ${
      formatInline(item)
    }\n    ]\n  }\n}\n`,
  );
  const commented = before.replace("[{", "[/* all */ {");
  assert.match(appendToList(commented, { path: consumers, item: mails })!, /"\}?.*mails" \}\] \}/);
});

Deno.test("appendToList() changes nothing where another value stands in the way", () => {
  for (const source of ['{ "queues": [] }', '{ "queues": { "consumers": null } }', "[]"]) {
    assert.equal(appendToList(source, { path: consumers, item: mails }), null);
  }
});

Deno.test("formatInline() spaces JSON as people do", () => {
  assert.equal(
    formatInline({ a: [1, { b: "{ }" }], c: {}, d: null }),
    '{ "a": [1, { "b": "{ }" }], "c": {}, "d": null }',
  );
});
