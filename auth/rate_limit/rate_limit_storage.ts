/** How often something may happen. */
export interface RateLimitRule {
  /** How often at most within the window. */
  limit: number;
  /** How long the window is, in milliseconds. */
  window: number;
  /** Now, in milliseconds since 1970. */
  now: number;
}

/** What a storage says to an attempt. */
export interface RateLimitTake {
  /** Whether it is within the limit. Only then it is counted. */
  allowed: boolean;
  /** How many more are let through at this moment. */
  remaining: number;
  /** When the oldest attempt that counts is forgotten, in milliseconds since 1970. */
  resetAt: number;
  /** What takes the attempt back, for {@linkcode RateLimitStorage.refundRateLimit}. */
  hit: unknown;
}

/**
 * Where attempts are counted. A storage that is called exact lets through at most `limit` attempts within
 * any span of `window`, however many come at once; others say in their documentation what they promise.
 */
export interface RateLimitStorage {
  /**
   * Counts an attempt, unless the limit is reached.
   *
   * @param key What is counted: at most 300 characters.
   * @throws {StorageUnavailableError} When the store does not answer.
   */
  takeRateLimit(key: string, rule: RateLimitRule): Promise<RateLimitTake>;
  /** Takes one attempt back, as if it had not been. */
  refundRateLimit(key: string, hit: unknown): Promise<void>;
}
