import {
  createMockBatch,
  createMockContext,
  createMockEnv,
  createMockMessage,
} from "@framework/testing";
import { describe, expect, it } from "vitest";
import { type MailEnv, queue } from "../app/_queues/mails.ts";

describe("the queue of mails", () => {
  it("acknowledges what was sent", async () => {
    const env = createMockEnv();
    const message = createMockMessage({ body: { to: "ada@example.com" } });
    env.MAILER.send.mockResolvedValue({ id: "1" });
    await queue([message], env, createMockContext());
    expect(env.MAILER.send).toHaveBeenCalledWith({ to: "ada@example.com" });
    expect(message.ack).toHaveBeenCalled();
    expect(message.retry).not.toHaveBeenCalled();
  });

  it("tries again what failed", async () => {
    const env = createMockEnv<MailEnv>();
    const message = createMockMessage({ body: { to: "ada@example.com" }, attempts: 2 });
    env.MAILER.send.mockRejectedValue(new Error("down"));
    await queue([message], env, createMockContext());
    expect(message.retry).toHaveBeenCalledWith({ delaySeconds: 60 });
    expect(message.ack).not.toHaveBeenCalled();
  });

  it("judges a batch message by message", async () => {
    const env = createMockEnv<MailEnv>();
    const batch = createMockBatch("mails", [
      { id: "a", body: { to: "ada@example.com" } },
      { id: "b", body: { to: "bob@example.com" } },
    ]);
    env.MAILER.send.mockResolvedValueOnce({ id: "1" }).mockRejectedValueOnce(new Error("down"));
    await queue(batch.messages, env, createMockContext());
    expect(batch.outcome()).toEqual({ a: "ack", b: "retry" });
    expect(batch.result().explicitAcks).toEqual(["a"]);
  });
});
