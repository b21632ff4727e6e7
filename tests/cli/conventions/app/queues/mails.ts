import type { QueueMessage } from "@framework/cli/runtime";
import type { Env } from "../../env.ts";

/** Writes down what arrived; what is not to be read comes a second time. */
export async function queue(
  messages: readonly QueueMessage<{ text: string }>[],
  env: Env,
): Promise<void> {
  for (const message of messages) {
    if (message.body.text === "again" && message.attempts === 1) {
      message.retry();
      continue;
    }
    await env.LOG.put(`mail:${message.body.text}`, String(message.attempts));
    message.ack();
  }
}
