import assert from "node:assert/strict";
import { formatNumber, isReached, renderSection, replaceSection, type Section } from "./report.ts";

const SECTION: Section = {
  name: "checks",
  title: "A check",
  about: "CPU time.",
  tables: [{
    title: "Token",
    columns: ["Node", "Deno"],
    rows: [
      {
        name: "the library",
        figures: [{ value: 2, unit: "µs", noise: 0.01 }, { value: 3, unit: "µs", noise: 0.3 }],
      },
      { name: "a peer", figures: [{ value: 100, unit: "µs" }, null] },
    ],
    base: "the library",
  }],
  goals: [
    { what: "fast", value: 2, unit: "×", is: "at most", limit: 1.5 },
    { what: "ahead", value: 50, unit: "×", is: "at least", limit: 12 },
  ],
};

Deno.test("renderSection() compares every column with its base and says what is missed, and why", () => {
  assert.equal(
    renderSection(SECTION, { notes: { fast: "It reads the clock." } }),
    `## A check

CPU time.

| Token | Node | Deno |
| --- | ---: | ---: |
| **the library** | 2.00 µs | 3.00 µs |
| a peer | 100 µs (50.0×) | – |

Noise, half of the range between the quartiles: mostly ±30 %, at most ±30 %.

- **Missed**: fast: 2.00×, goal at most 1.50×. It reads the clock.
- ahead: 50.0×, goal at least 12.0×.
`,
  );
});

Deno.test("isReached() takes a figure that could not be measured for a missed goal", () => {
  const goal = { what: "", unit: "×", limit: 1 } as const;
  assert.equal(isReached({ ...goal, value: 1, is: "at most" }), true);
  assert.equal(isReached({ ...goal, value: 0.99, is: "at least" }), false);
  assert.equal(isReached({ ...goal, value: NaN, is: "at most" }), false);
  assert.equal(isReached({ ...goal, value: NaN, is: "at least" }), false);
});

Deno.test("formatNumber() shows three digits", () => {
  assert.deepEqual([0, 0.004, 0.5, 12.34, 123.4, 12_345].map(formatNumber), [
    "0",
    "0.004",
    "0.50",
    "12.3",
    "123",
    "12,300",
  ]);
});

Deno.test("replaceSection() replaces what stands between its marks and nothing else", () => {
  const document = "a\n<!-- bench x -->\nold\n<!-- end x -->\nb\n";
  assert.equal(
    replaceSection(document, "x", "new\n"),
    "a\n<!-- bench x -->\n\nnew\n\n<!-- end x -->\nb\n",
  );
  assert.throws(() => replaceSection(document, "y", "new"), /bench y/);
});
