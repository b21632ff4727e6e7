import assert from "node:assert/strict";
import fc from "fast-check";
import { squarify } from "./analysis_page.ts";

const area = { x: 0, y: 0, width: 1, height: 1 };

Deno.test("squarify() gives each size its share of the area, inside of it, and no two overlap", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(fc.property(sizes, (list) => {
    list.sort((a, b) => b - a);
    const total = list.reduce((sum, size) => sum + size, 0);
    const placed = squarify(list, area);
    assert.equal(placed.length, list.length);
    for (const [index, { x, y, width, height }] of placed.entries()) {
      assert.ok(Math.abs(width * height - list[index]! / total) < 1e-9);
      assert.ok(x > -1e-9 && y > -1e-9 && x + width < 1 + 1e-9 && y + height < 1 + 1e-9);
      for (const other of placed.slice(index + 1)) {
        const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x);
        const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y);
        assert.ok(across < 1e-9 || down < 1e-9);
      }
    }
  }));
});

Deno.test("squarify() keeps to squares where it can", () => {
  for (const { width, height } of squarify([1, 1, 1, 1], area)) {
    assert.deepEqual([width, height], [0.5, 0.5]);
  }
  assert.deepEqual(squarify([], area), []);
});
