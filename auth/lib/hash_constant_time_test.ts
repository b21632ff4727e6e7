import { constantTimeEqual, constantTimeEqualText } from "./hash.ts";

import assert from "node:assert/strict";

// Tracks: R010
Deno.test("constantTimeEqual() is true for equal bytes only", () => {
  const bytes = new Uint8Array([1, 2, 3, 255]);
  assert.equal(constantTimeEqual(bytes, new Uint8Array([1, 2, 3, 255])), true);
  assert.equal(constantTimeEqual(new Uint8Array(), new Uint8Array()), true);
  for (let index = 0; index < bytes.length; index++) {
    for (let bit = 0; bit < 8; bit++) {
      const other = bytes.slice();
      other[index]! ^= 1 << bit;
      assert.equal(constantTimeEqual(bytes, other), false);
    }
  }
});

// Tracks: R010
Deno.test("constantTimeEqual() is false when the lengths differ, and does not throw", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  assert.equal(constantTimeEqual(bytes, bytes.slice(0, 2)), false);
  assert.equal(constantTimeEqual(new Uint8Array(), bytes), false);
});

// Tracks: R010, PF-k01
Deno.test("constantTimeEqual() looks at every byte, wherever the difference is", () => {
  const bytes = new Uint8Array([1, 2, 3, 255]);
  for (let different = 0; different < bytes.length; different++) {
    const looked: number[] = [];
    const counted = new Proxy(bytes, {
      get(target, name) {
        if (name === "length") return target.length;
        looked.push(Number(name));
        const byte = target[Number(name)]!;
        return Number(name) === different ? byte ^ 1 : byte;
      },
    });
    assert.equal(constantTimeEqual(counted, bytes), false);
    assert.equal(constantTimeEqual(bytes, counted), false);
    assert.deepEqual(looked, [0, 1, 2, 3, 0, 1, 2, 3]);
  }
});

// Tracks: hono 91def7ca
Deno.test("constantTimeEqualText() is true for equal texts only, and looks at every character", () => {
  assert.equal(constantTimeEqualText("signature", "signature"), true);
  assert.equal(constantTimeEqualText("", ""), true);
  for (const other of ["Signature", "signaturE", "signatur", "signature ", "", "\u0173ignature"]) {
    assert.equal(constantTimeEqualText("signature", other), false, other);
  }
  let looked = 0;
  const text = {
    length: 9,
    charCodeAt: (index: number) => (looked++, "signature".charCodeAt(index)),
  };
  assert.equal(constantTimeEqualText(text as unknown as string, "Xignature"), false);
  assert.equal(looked, 9);
});
