import type { Settings } from "../config/settings.ts";
import type { RequestStore } from "../request/request_store.ts";
import type { SaveUserOptions } from "../storage/storage.ts";

/** A sign-in that has succeeded, for {@linkcode AccountGuard.remember}. */
export interface RememberedSignIn {
  /** Who has signed in. */
  userId: string;
  /** What people type to say that they are this user. */
  identifiers: readonly string[];
  /** Conditions under which the sign-in was stored. */
  conditions: Pick<SaveUserOptions, "proofBegunAt" | "unproved">;
}

/**
 * Tells owners of an account from those who guess at it. The ways to sign in at which somebody can guess bring it along:
 * an application without them carries nothing of it.
 */
export interface AccountGuard {
  /**
   * Names the browser of a request when somebody has signed in there with this identifier; else null.
   *
   * @param options `proved`: only for a user who has proved their mailbox.
   */
  find(
    store: RequestStore,
    identifier: string,
    options: { proved: boolean },
  ): Promise<string | null>;
  /** Remembers the browser of a request, in which a user has signed in. It fails nothing. */
  remember(store: RequestStore, signIn: RememberedSignIn): Promise<void>;
  /** Forgets the browsers of a user. */
  forget(settings: Settings, userId: string): Promise<void>;
  /** Names an account for events, the same whether it exists or not. */
  tag(settings: Settings, identifier: string): Promise<string>;
}

/** Guard of an application's accounts; undefined where nobody can guess. */
export function guardOf({ modules }: Pick<Settings, "modules">): AccountGuard | undefined {
  for (const module of modules) {
    if ("guard" in module && module.guard !== undefined) return module.guard;
  }
  return undefined;
}

/** The account of an event: nothing where nobody was named. */
export async function accountOf(
  settings: Settings,
  identifier: string | null | undefined,
): Promise<{ account?: string }> {
  const guard = guardOf(settings);
  return identifier && guard ? { account: await guard.tag(settings, identifier) } : {};
}
