import assert from "node:assert/strict";
import { environmentQueues } from "./environments.ts";
import type { Platform } from "./wrangler_file.ts";

function platform(env: unknown): Platform {
  return { file: "/p/wrangler.jsonc", raw: { env } } as unknown as Platform;
}

const consumers = (...queues: string[]) => ({
  queues: { consumers: queues.map((queue) => ({ queue })) },
});
const files = { mails: "/p/app/queues/mails.ts" };

Deno.test("environmentQueues() knows a queue by its name with the environment's before or behind", () => {
  const found = environmentQueues(
    files,
    platform({
      staging: consumers("mails-staging", "mails"),
      live: consumers("live_mails"),
      empty: {},
    }),
  );
  assert.deepEqual(found, { "mails-staging": files.mails, "live_mails": files.mails });
  assert.deepEqual(environmentQueues(files, platform(undefined)), {});
});

Deno.test("environmentQueues() refuses a queue that no file handles", () => {
  assert.throws(() => environmentQueues(files, platform({ staging: consumers("post-staging") })), {
    exitCode: 2,
    message:
      'wrangler.jsonc declares a consumer of "post-staging" in env.staging, but nothing handles its messages.',
  });
});
