import { join } from "node:path";
import type { AssetOptions, ServeRequest } from "./worker_request.ts";

/**
 * Returns miniflare's options: local data is stored where wrangler stores it, under the same names.
 *
 * @param request What the platform's file says.
 * @param main The worker's module.
 * @param settings Further settings of the worker.
 */
export function workerOptions(
  request: ServeRequest,
  main: { name: string; code: string },
  settings: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    host: "127.0.0.1",
    port: 0,
    cf: false,
    defaultPersistRoot: join(request.root, ".wrangler", "state", "v3"),
    workers: [{
      name: request.name,
      modules: [{ type: "ESModule", path: main.name, contents: main.code }],
      compatibilityDate: request.compatibilityDate,
      compatibilityFlags: request.compatibilityFlags,
      bindings: request.vars,
      d1Databases: withId(request.d1Databases),
      kvNamespaces: withId(request.kvNamespaces),
      r2Buckets: withId(request.r2Buckets),
      queueProducers: Object.fromEntries(
        Object.entries(request.queueProducers)
          .map(([binding, queueName]) => [binding, { queueName }]),
      ),
      queueConsumers: request.queueConsumers,
      durableObjects: request.durableObjects,
      ...(request.assets ? { assets: assetOptions(request.assets) } : {}),
      ...settings,
    }],
  };
}

function withId(ids: Record<string, string>): Record<string, { id: string }> {
  return Object.fromEntries(Object.entries(ids).map(([binding, id]) => [binding, { id }]));
}

function assetOptions(assets: AssetOptions): Record<string, unknown> {
  const { directory, binding, htmlHandling, notFoundHandling, runWorkerFirst } = assets;
  return {
    directory,
    ...(binding === undefined ? {} : { binding }),
    routerConfig: {
      has_user_worker: true,
      invoke_user_worker_ahead_of_assets: runWorkerFirst === true,
      ...(Array.isArray(runWorkerFirst) ? { static_routing: staticRouting(runWorkerFirst) } : {}),
    },
    assetConfig: {
      ...(htmlHandling === undefined ? {} : { html_handling: htmlHandling }),
      ...(notFoundHandling === undefined ? {} : { not_found_handling: notFoundHandling }),
      ...(Array.isArray(runWorkerFirst) ? { has_static_routing: true } : {}),
    },
  };
}

/**
 * Splits routing rules: those that begin with `!` name paths that the files answer although another
 * rule covers them.
 */
function staticRouting(rules: string[]): { user_worker: string[]; asset_worker?: string[] } {
  const files = rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
  return {
    user_worker: rules.filter((rule) => !rule.startsWith("!")),
    ...(files.length > 0 ? { asset_worker: files } : {}),
  };
}
