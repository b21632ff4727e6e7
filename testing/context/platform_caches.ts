import { TestingError } from "../errors.ts";
import { type Cache, type CacheMedium, createCache } from "../platform/cache.ts";
import { currentScope } from "./scope.ts";

/** The platform's `caches`. */
export interface PlatformCaches {
  readonly default: Cache;
  open(name: string): Promise<unknown>;
}

/**
 * Creates `caches` whose responses are those of the context on whose behalf they are used, so that modules may keep a
 * cache in a variable.
 *
 * @param native Caches of the runtime, for code outside of any context. Default: none.
 */
export function createCacheStorage(native?: CacheStorage): PlatformCaches {
  return {
    default: createCache(() => mediumOf("")),
    open(name) {
      if (native !== undefined && currentScope() === undefined) return native.open(name);
      return Promise.resolve(createCache(() => mediumOf(`${name}`)));
    },
  };
}

function mediumOf(name: string): CacheMedium {
  const { caches, now } = currentScope() ?? noContext();
  if (caches === undefined) return noContext();
  const entries = caches.get(name) ?? new Map();
  caches.set(name, entries);
  return { now, entries };
}

function noContext(): never {
  throw new TestingError(
    "NO_CONTEXT",
    "A cache was used outside of any test context. Use it in what answers a request of ctx.fetch(), or in ctx.runAs().",
  );
}
