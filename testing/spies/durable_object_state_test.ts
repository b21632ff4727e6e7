import assert from "node:assert/strict";
import { expect } from "../deno.ts";
import {
  createMockDurableObjectState,
  type MockDurableObjectState,
} from "./durable_object_state.ts";

class Counter {
  readonly state: MockDurableObjectState;
  count = 0;
  constructor(state: MockDurableObjectState) {
    this.state = state;
    void state.blockConcurrencyWhile(async () => {
      this.count = await state.storage.get<number>("count") ?? 0;
    });
  }
  async fetch(): Promise<Response> {
    await this.state.storage.put("count", ++this.count);
    await this.state.storage.setAlarm(1_000);
    return Response.json(this.count);
  }
  async alarm(): Promise<void> {
    await this.state.storage.delete("count");
  }
}

Deno.test("createMockDurableObjectState() stores, and shows what was stored", async () => {
  const state = createMockDurableObjectState();
  await state.storage.put("count", 6);
  const counter = new Counter(state);
  await state.settle();
  await counter.fetch();
  assert.equal(await (await counter.fetch()).json(), 8);
  expect(state.storage.put).toHaveBeenLastCalledWith("count", 8);
  expect(state.blockConcurrencyWhile).toHaveBeenCalledOnce();
  assert.equal(await state.storage.get("count"), 8);
});

Deno.test("createMockDurableObjectState() has every method of the storage as a mock function", async () => {
  const { storage } = createMockDurableObjectState();
  storage.put.mockRejectedValueOnce(new Error("full"));
  await assert.rejects(storage.put("a", 1), /full/);
  await storage.put("a", 1);
  assert.equal(await storage.get("a"), 1);
  storage.get.mockResolvedValueOnce(7);
  assert.equal(await storage.get("a"), 7);
  storage.sql.exec("CREATE TABLE t (a)");
  expect(storage.sql.exec).toHaveBeenCalledWith("CREATE TABLE t (a)");
  assert.ok(storage.sql.databaseSize > 0);
  storage.kv.put("b", 2);
  expect(storage.kv.put).toHaveBeenCalledWith("b", 2);
  await storage.transaction(async (transaction) => await transaction.put("c", 3));
  expect(storage.transaction).toHaveBeenCalledOnce();
  assert.equal(await storage.get("c"), 3);
});

Deno.test("runAlarm() calls the object when its alarm is due, once", async () => {
  let time = 999;
  const state = createMockDurableObjectState({ now: () => time });
  const counter = new Counter(state);
  assert.equal(await state.runAlarm(counter), false);
  await counter.fetch();
  assert.equal(await state.runAlarm(counter), false);
  time = 1_000;
  assert.equal(await state.runAlarm(counter), true);
  assert.equal(await state.storage.get("count"), undefined);
  assert.equal(await state.runAlarm(counter), false);
});

Deno.test("runAlarm() leaves the alarm set when the object fails", async () => {
  const state = createMockDurableObjectState({ now: () => 5 });
  await state.storage.setAlarm(3);
  const alarm = () => Promise.reject(new Error("failed"));
  await assert.rejects(state.runAlarm({ alarm }), /failed/);
  assert.equal(await state.storage.getAlarm(), 3);
});

Deno.test("createMockDurableObjectState() keeps sockets by their tags", () => {
  const state = createMockDurableObjectState();
  const [one, two] = [{ readyState: 1 }, { readyState: 1 }];
  state.acceptWebSocket(one, ["room:1", "room:1"]);
  state.acceptWebSocket(two);
  assert.deepEqual(state.getWebSockets(), [one, two]);
  assert.deepEqual(state.getWebSockets("room:1"), [one]);
  assert.deepEqual(state.getTags(one), ["room:1"]);
  assert.throws(() => state.acceptWebSocket(one), /already accepted/);
  assert.throws(() => state.acceptWebSocket({}, Array(11).fill("x")), /more than 10 tags/);
  assert.throws(() => state.acceptWebSocket({}, ["x".repeat(257)]), /256/);
  assert.throws(() => state.getTags({}), /not accepted/);
  one.readyState = 3;
  assert.deepEqual(state.getWebSockets("room:1"), []);
  expect(state.acceptWebSocket).toHaveBeenCalledWith(two);
  state.setWebSocketAutoResponse("pair");
  assert.equal(state.getWebSocketAutoResponse(), "pair");
});

Deno.test("createMockDurableObjectState() gives every object an id of its own", () => {
  const [one, two] = [createMockDurableObjectState({ name: "a" }), createMockDurableObjectState()];
  assert.equal(one.id.name, "a");
  assert.match(String(one.id), /^[0-9a-f]{64}$/);
  assert.ok(one.id.equals(one.id));
  assert.ok(!one.id.equals(two.id));
  assert.throws(() => one.abort("enough"), /enough/);
});

Deno.test("settle() waits for work that was handed over, and throws what failed in it", async () => {
  const state = createMockDurableObjectState();
  state.waitUntil(state.storage.put("a", 1));
  state.waitUntil(Promise.reject(new Error("failed")));
  await assert.rejects(state.settle(), /failed/);
  await state.settle();
});
