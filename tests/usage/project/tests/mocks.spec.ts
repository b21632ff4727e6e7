import { createMockContext, createMockEnv, createMockMessage } from "@framework/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";

describe("mock functions of the package", () => {
  const message = createMockMessage({ body: "hello" });
  const env = createMockEnv();
  const context = createMockContext({ env });
  beforeEach(() => {
    vi.clearAllMocks();
  });

  it("are those of the runner", () => {
    expect(vi.isMockFunction(message.ack)).toBe(true);
    expect(vi.isMockFunction(env.MAILER.send)).toBe(true);
    expect(Object.getPrototypeOf(message.ack)).toBe(Object.getPrototypeOf(vi.fn()));
  });

  for (const time of ["first", "second"]) {
    it(`forget their calls with all others: the ${time} test`, () => {
      message.ack();
      env.MAILER.send("hello");
      context.waitUntil(Promise.resolve());
      expect(message.ack).toHaveBeenCalledTimes(1);
      expect(env.MAILER.send).toHaveBeenCalledTimes(1);
      expect(context.waitUntil).toHaveBeenCalledTimes(1);
      vi.clearAllMocks();
      expect(message.ack).not.toHaveBeenCalled();
      expect(env.MAILER.send).not.toHaveBeenCalled();
      expect(context.waitUntil).not.toHaveBeenCalled();
    });
  }
});
