import { fn, isMockFunction } from "@vitest/spy";
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { expect } from "../deno.ts";
import { createAutoMock, spied } from "./mock_function.ts";

// deno-lint-ignore no-explicit-any -- properties are made on first use.
const auto = (name = "env.MAILS"): any => createAutoMock(name);

Deno.test("createAutoMock() is a mock function, and so is every property of it", async () => {
  const mock = auto();
  assert.equal(isMockFunction(mock), true);
  assert.equal(isMockFunction(mock.send), true);
  assert.equal(isMockFunction(mock.deeper.still.deeper), true);
  assert.equal(mock.send, mock.send);
  assert.equal(mock("x"), undefined);
  mock.send.mockResolvedValue("sent");
  assert.equal(await mock.send({ to: "ada" }), "sent");
  expect(mock.send).toHaveBeenCalledWith({ to: "ada" });
  mock.send.mockRejectedValueOnce(new Error("down"));
  await assert.rejects(mock.send(), /down/);
});

Deno.test("createAutoMock() names what was not called", () => {
  assert.throws(() => expect(auto().send).toHaveBeenCalled(), /env\.MAILS\.send/);
});

Deno.test("createAutoMock() can be awaited, printed and compared", async () => {
  const mock = auto();
  assert.equal(await mock, mock);
  assert.equal(typeof inspect(mock), "string");
  assert.equal(JSON.stringify({ mock }), "{}");
  expect({ mock }).toEqual({ mock });
  expect(() => expect({ mock }).toEqual({ mock: 1 })).toThrow();
});

Deno.test("createAutoMock() keeps what a test assigns", () => {
  const mock = auto();
  const own = fn();
  mock.send = own;
  assert.equal(mock.send, own);
});

Deno.test("spied() leaves methods working, and lets a test replace them", () => {
  const counter = spied({ size: 1, add: (by: number) => by + 1 }, "counter");
  assert.equal(counter.size, 1);
  assert.equal(counter.add(1), 2);
  expect(counter.add).toHaveBeenCalledWith(1);
  counter.add.mockReturnValueOnce(7);
  assert.deepEqual([counter.add(1), counter.add(1)], [7, 2]);
  counter.add.mockReset();
  assert.equal(counter.add(2), 3);
});
