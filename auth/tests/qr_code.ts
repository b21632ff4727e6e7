import assert from "node:assert/strict";
import jsQR from "jsqr";

/** Reads the QR code of a page, as a camera would: its modules as pixels. */
export function readQrCode(html: string): string {
  const size = Number(/class="qr" viewBox="0 0 (\d+)/.exec(html)![1]);
  const scale = 8;
  const border = 4;
  const side = (size + 2 * border) * scale;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  const svg = /<svg class="qr"[^]*?<\/svg>/.exec(html)![0];
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      for (let column = 0; column < scale; column++) {
        const at = ((Number(y) + border) * scale + row) * side + (Number(x) + border) * scale +
          column;
        pixels.fill(0, at * 4, at * 4 + 3);
      }
    }
  }
  const read = (jsQR as unknown as typeof import("jsqr").default)(pixels, side, side);
  assert.ok(read, "the code cannot be read");
  return read.data;
}
