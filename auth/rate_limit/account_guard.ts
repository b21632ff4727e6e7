import type { AccountGuard, Settings } from "../http/contracts.ts";

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
