import type { SqlDatabase } from "@framework/auth/storage";
import { join } from "node:path";
import type { ServerSettings } from "../platform/server_settings.ts";
import type { Worker } from "../runtime/application.ts";
import { startCron } from "./cron.ts";
import { createBucket, sweepFiles } from "./files.ts";
import { createKv, sweepKv } from "./kv.ts";
import { logFailure } from "./log.ts";
import { createProducer, type RunningConsumer, startConsumer } from "./queue.ts";
import { executionContext } from "./serve.ts";

/** Milliseconds between two deletions of what has expired. */
const SWEEP_INTERVAL = 60_000;

/** Bindings of a server, and the work that nobody asks for. */
export interface Bindings {
  /** By their names in `env`. */
  env: Record<string, unknown>;
  /** Begins to deliver messages, run jobs and delete what has expired. */
  start(worker: Worker, env: object): void;
  /** Begins nothing more; resolves when what runs has ended. */
  stop(): Promise<void>;
}

/**
 * Creates the bindings of the platform file, all of them in one database and one folder.
 *
 * @param settings The platform file's.
 * @param place The database, and the absolute path of the data folder.
 */
export function createBindings(
  settings: ServerSettings,
  { database, dataFolder }: { database: SqlDatabase; dataFolder: string },
): Bindings {
  const folder = join(dataFolder, "files");
  const consumers = new Map<string, RunningConsumer>();
  const stops: (() => Promise<void>)[] = [];
  const env: Record<string, unknown> = {};
  if (settings.database !== null) env[settings.database] = database;
  for (const [binding, name] of Object.entries(settings.kvNamespaces)) {
    env[binding] = createKv(database, name);
  }
  for (const [binding, bucket] of Object.entries(settings.buckets)) {
    env[binding] = createBucket({ database, folder, bucket });
  }
  for (const [binding, queue] of Object.entries(settings.producers)) {
    env[binding] = createProducer(database, queue, () => consumers.get(queue)?.wake());
  }

  async function sweep(): Promise<void> {
    try {
      await sweepKv(database);
      await sweepFiles({ database, folder });
    } catch (error) {
      logFailure("sweep-failed", error);
    }
  }

  return {
    env,
    start(worker, env) {
      for (const consumer of settings.consumers) {
        const running = startConsumer(database, consumer, async (batch) => {
          await worker.queue?.(batch, env, executionContext);
        });
        consumers.set(consumer.queue, running);
        stops.push(running.stop);
      }
      const cron = startCron(database, settings.crons, async (controller) => {
        await worker.scheduled?.(controller, env, executionContext);
      });
      let sweeping = Promise.resolve();
      const timer = setInterval(() => sweeping = sweep(), SWEEP_INTERVAL);
      stops.push(cron.stop, () => {
        clearInterval(timer);
        return sweeping;
      });
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
