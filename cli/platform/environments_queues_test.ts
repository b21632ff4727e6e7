import assert from "node:assert/strict";
import { environmentQueues, unhandledEnvironmentQueues } from "./environments.ts";
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

Deno.test("unhandledEnvironmentQueues() finds the queues that no file handles", () => {
  const found = platform({
    staging: consumers("post-staging", "mails-staging"),
    live: consumers("post"),
  });
  assert.deepEqual(environmentQueues(files, found), { "mails-staging": files.mails });
  assert.deepEqual(unhandledEnvironmentQueues(files, found).map(({ message }) => message), [
    'wrangler.jsonc declares a consumer of "post-staging" in env.staging, but nothing handles its messages.',
    'wrangler.jsonc declares a consumer of "post" in env.live, but nothing handles its messages.',
  ]);
});
