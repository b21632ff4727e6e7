import type { Auth } from "@framework/auth";
import { createDatabaseOpener } from "./context.ts";
import type { AppManifest, ManifestModule } from "./manifest.ts";
import type {
  BackgroundContext,
  ExecutionContext,
  MessageBatch,
  ScheduledController,
} from "./types.ts";

type QueueFunction = (
  messages: MessageBatch["messages"],
  env: object,
  context: BackgroundContext,
) => unknown;
type ScheduledFunction = (
  controller: ScheduledController,
  env: object,
  context: BackgroundContext,
) => unknown;

/**
 * Creates the worker's `queue` handler: a batch goes to the file with the queue's name. The
 * platform retries after an error.
 *
 * @param queues Files of `app/queues` by queue.
 * @param database Name of the database binding.
 * @param auth Authentication of the application. Default: it has none.
 */
export function createQueueHandler(
  queues: NonNullable<AppManifest["queues"]>,
  database: string,
  auth?: Auth<unknown>,
): (batch: MessageBatch, env: object, ctx?: ExecutionContext) => Promise<void> {
  return async (batch, env, ctx) => {
    const found = Object.hasOwn(queues, batch.queue) ? queues[batch.queue] : undefined;
    if (!found) {
      throw new Error(
        `The queue "${batch.queue}" has no handler. Create app/queues/${batch.queue}.ts.`,
      );
    }
    await (found.module["queue"] as QueueFunction)(
      batch.messages,
      env,
      createBackgroundContext(env, ctx, { database, auth }),
    );
  };
}

/**
 * Creates the worker's `scheduled` handler: every file with the due schedule runs, even when
 * another one fails.
 *
 * @param cron Files of `app/cron`.
 * @param database Name of the database binding.
 * @param auth Authentication of the application. Default: it has none.
 */
export function createScheduledHandler(
  cron: readonly ManifestModule[],
  database: string,
  auth?: Auth<unknown>,
): (controller: ScheduledController, env: object, ctx?: ExecutionContext) => Promise<void> {
  return async (controller, env, ctx) => {
    const due = cron.filter(({ module }) => [module["schedule"]].flat().includes(controller.cron));
    if (due.length === 0) {
      throw new Error(
        `No file of app/cron has the schedule "${controller.cron}". Create one, or remove the trigger.`,
      );
    }
    const context = createBackgroundContext(env, ctx, { database, auth });
    const results = await Promise.allSettled(
      due.map(async ({ module }) =>
        await (module["scheduled"] as ScheduledFunction)(controller, env, context)
      ),
    );
    const reasons = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : []
    );
    if (reasons.length === 1) throw reasons[0];
    if (reasons.length > 1) {
      throw new AggregateError(reasons, `${reasons.length} jobs of "${controller.cron}" failed.`);
    }
  };
}

function createBackgroundContext(
  env: object,
  ctx: ExecutionContext | undefined,
  { database, auth }: { database: string; auth: Auth<unknown> | undefined },
): BackgroundContext {
  const open = createDatabaseOpener(env as Record<string, unknown>, database);
  return {
    waitUntil: (work) => ctx?.waitUntil(work),
    getAuth() {
      if (auth) return auth;
      throw new Error(
        "getAuth() has nothing to give: the project has no app/auth. `framework generate auth` makes one.",
      );
    },
    get db() {
      return open();
    },
  };
}
