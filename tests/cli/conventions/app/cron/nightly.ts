import type { ScheduledController } from "@framework/cli/runtime";
import type { Env } from "../../env.ts";

export const schedule = "0 3 * * *";

export async function scheduled({ cron }: ScheduledController, env: Env): Promise<void> {
  await env.LOG.put("cron", cron);
}
