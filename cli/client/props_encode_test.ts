import { jsx } from "hono/jsx";
import fc from "fast-check";
import assert from "node:assert/strict";
import { ClientPropError } from "@framework/cli/runtime";
import { decodeProps, encodeProps } from "./props.ts";

const there = (props: Record<string, unknown>) => decodeProps(encodeProps(props, "<Box>"));

Deno.test("encodeProps() keeps what JSON loses", () => {
  const props = {
    nothing: undefined,
    numbers: [NaN, Infinity, -Infinity, -0, 1.5],
    big: 2n ** 70n,
    dates: [new Date(0), new Date(NaN)],
    map: new Map<unknown, unknown>([["a", new Set([1, undefined])], [{ k: 1 }, null]]),
    address: new URL("https://example.com/?q=1"),
    $: { $: "date", v: "no date" },
    nested: [{ $: "bigint" }, [[]]],
  };
  assert.deepEqual(there(props), props);
});

Deno.test("encodeProps() gives back every tree of data", () => {
  const tree = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true });
  fc.assert(fc.property(fc.dictionary(fc.string(), tree), (props) => {
    const plain = { ...props };
    assert.deepEqual(there(plain), structuredClone(plain));
  }));
});

/** Runs work where assigning to `__proto__` sets the prototype, as it does everywhere but in Deno. */
function withProtoSetter(work: () => void): void {
  const before = Object.getOwnPropertyDescriptor(Object.prototype, "__proto__");
  Object.defineProperty(Object.prototype, "__proto__", {
    configurable: true,
    get() {
      return Object.getPrototypeOf(this);
    },
    set(value) {
      if (typeof value === "object") Object.setPrototypeOf(this, value);
    },
  });
  try {
    work();
  } finally {
    if (before) Object.defineProperty(Object.prototype, "__proto__", before);
    else delete (Object.prototype as { __proto__?: unknown }).__proto__;
  }
}

// Tracks: PF-x25
Deno.test("encodeProps() makes no name special at any depth", () => {
  const names = fc.constantFrom("__proto__", "constructor", "prototype", "toString", "$", "v", "a");
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1, "text"),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(names, tie("tree")), { selector: ([name]) => name, maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const named = fc.tuple(names, tree).map((entry) => Object.fromEntries([entry]));
  const check = fc.property(named, (props) => {
    const read = there(props);
    assert.equal(JSON.stringify(read), JSON.stringify(props));
    const objects: unknown[] = [read];
    while (objects.length > 0) {
      const one = objects.pop();
      if (typeof one !== "object" || one === null) continue;
      const plain = Array.isArray(one) ? Array.prototype : Object.prototype;
      assert.equal(Object.getPrototypeOf(one), plain);
      objects.push(...Object.values(one));
    }
  });
  withProtoSetter(() => fc.assert(check));
});

Deno.test("encodeProps() makes no name special", () => {
  withProtoSetter(() => {
    const props = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
    const read = there(props);
    assert.equal(Object.hasOwn(read, "__proto__"), true);
    assert.equal((read as { admin?: boolean }).admin, undefined);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });
});

Deno.test("encodeProps() refuses what cannot be sent, and says where it is", () => {
  class User {}
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  for (
    const [props, message] of [
      [{ onSave: () => 1 }, /<Box> cannot receive the prop onSave: it is a function/],
      [{ a: { list: [1, Symbol("s")] } }, /the prop a\.list\[1\]: it is a symbol/],
      [{ user: new User() }, /the prop user: it is an instance of User/],
      [{ late: Promise.resolve() }, /the prop late: it is a promise/],
      [{ icon: jsx("b", {}) }, /the prop icon: it is markup/],
      [{ cycle }, /the prop cycle\.self: it is an object that contains itself/],
      [{ map: new Map([["k", () => 1]]) }, /the prop map\.get\(k\): it is a function/],
    ] as const
  ) {
    assert.throws(() => encodeProps(props, "<Box>"), { code: "CLIENT_PROP", message });
    assert.throws(() => encodeProps(props, "<Box>"), ClientPropError);
  }
});

Deno.test("encodeProps() takes the same object in two places", () => {
  const same = { a: 1 };
  assert.deepEqual(there({ one: same, two: same }), { one: { a: 1 }, two: { a: 1 } });
});
