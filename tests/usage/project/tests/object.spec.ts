import { createMockDurableObjectState, createMockEnv } from "@framework/testing";
import { describe, expect, it } from "vitest";
import { Counter } from "../app/_objects/counter.ts";

describe("Counter", () => {
  it("counts, and keeps the count", async () => {
    const state = createMockDurableObjectState();
    const counter = new Counter(state, createMockEnv());
    const request = new Request("http://localhost/");
    expect(await (await counter.fetch(request)).json()).toEqual({ count: 1 });
    expect(await (await counter.fetch(request)).json()).toEqual({ count: 2 });
    expect(state.storage.put).toHaveBeenLastCalledWith("count", 2);
  });

  it("goes on where it was", async () => {
    const state = createMockDurableObjectState();
    await state.storage.put("count", 41);
    const response = await new Counter(state, {}).fetch(new Request("http://localhost/"));
    expect(await response.json()).toEqual({ count: 42 });
  });
});
