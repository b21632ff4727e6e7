import assert from "node:assert/strict";
import { findCycle } from "./roles.ts";

Deno.test("findCycle() finds a way back", () => {
  const cases: [Record<string, string[]>, string[]][] = [
    [{ a: ["a"] }, ["a", "a"]],
    [{ a: ["b"], b: ["a"] }, ["a", "b", "a"]],
    [{ x: ["a"], a: ["b"], b: ["c"], c: ["a"] }, ["a", "b", "c", "a"]],
    [{ a: [], b: ["a", "c"], c: ["b"] }, ["b", "c", "b"]],
  ];
  for (const [graph, cycle] of cases) {
    assert.deepEqual(findCycle(new Map(Object.entries(graph))), cycle);
  }
});

Deno.test("findCycle() is null where every way ends", () => {
  const cases: Record<string, string[]>[] = [
    {},
    { a: [] },
    { a: ["b", "b"], b: ["c"] },
    // A diamond.
    { a: ["b", "c"], b: ["d"], c: ["d"], d: ["e"] },
  ];
  for (const graph of cases) assert.equal(findCycle(new Map(Object.entries(graph))), null);
});

// Tracks: R130
Deno.test("findCycle() goes along every edge once, a hundred thousand deep", () => {
  const depth = 100_000;
  let reads = 0;
  const graph = new Map(
    Array.from({ length: depth }, (_, index) => {
      const next = {
        *[Symbol.iterator]() {
          reads++;
          yield String(index + 1);
          yield String(index + 1);
        },
      };
      return [String(index), next as unknown as string[]];
    }),
  );
  assert.equal(findCycle(graph), null);
  assert.equal(reads, depth);
  graph.set(String(depth), ["0"]);
  assert.equal(findCycle(graph)?.length, depth + 2);
});
