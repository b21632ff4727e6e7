import { randomBytes } from "../crypto/token.ts";
import type { Storage } from "../storage/storage.ts";

const SWEEP_ROWS = 500;

/** On about one sign-in in a hundred, removes what has ended, in the background, so that it does not pile up. */
export function sweepNowAndThen(
  storage: Storage,
  { now, waitUntil }: { now: number; waitUntil(work: Promise<unknown>): void },
): void {
  if (randomBytes(1)[0]! < 3) waitUntil(storage.sweep(now, SWEEP_ROWS));
}
