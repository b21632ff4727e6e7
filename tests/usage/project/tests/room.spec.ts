import { createMockDurableObjectState, createTestContext } from "@framework/testing";
import { describe, expect, it } from "vitest";
import { Room } from "../app/objects/room.ts";

interface Env {
  ROOM: { getByName(name: string): Room };
}

describe("Room", () => {
  it("keeps what the application says", async () => {
    await using ctx = await createTestContext<Env>();
    await ctx.fetch("/api/room", { method: "POST", body: "hello" });
    expect(await ctx.env.ROOM.getByName("lobby").lines()).toEqual(["hello"]);
    expect(await ctx.env.ROOM.getByName("attic").lines()).toEqual([]);
  });

  it("begins anew in the next test", async () => {
    await using ctx = await createTestContext<Env>();
    expect(await ctx.env.ROOM.getByName("lobby").lines()).toEqual([]);
  });

  it("tells what it cannot do", async () => {
    await using ctx = await createTestContext<Env>();
    const room = ctx.env.ROOM.getByName("lobby");
    await expect(async () => await room.say("")).rejects.toThrow("Say something.");
  });
});

describe("an alarm", () => {
  it("rings when the clock has reached it", async () => {
    await using ctx = await createTestContext<Env>();
    const room = ctx.env.ROOM.getByName("lobby");
    await room.say("hello");
    await ctx.clock.advance("59m");
    expect(await room.lines()).toEqual(["hello"]);
    await ctx.clock.advance("2m");
    expect(await room.lines()).toEqual([]);
  });

  it("rings for an object that the test has made", async () => {
    const state = createMockDurableObjectState({ now: () => Date.now() + 3_700_000 });
    const room = new Room(state, {});
    await room.say("hello");
    expect(await state.runAlarm(room)).toBe(true);
    expect(room.lines()).toEqual([]);
  });
});
