/**
 * Suite of a test: `operations` are one call after the other, with what they store, return and refuse; `races` are calls
 * at once; `limits` are counted attempts; `clocks` are callers whose clocks differ; `keys` are keys that look alike;
 * `interruptions` are exchanges with the store that are lost.
 */
export type StorageSuite = "operations" | "races" | "limits" | "clocks" | "keys" | "interruptions";

/** A case that says to which suite it belongs. */
export type InSuite<Case> = Case & { readonly suite: StorageSuite };

/** Registers cases with their suite. A list of cases takes no others, so none is left out of the suites. */
export function inSuite<Case extends object>(
  suite: StorageSuite,
  cases: Record<string, Case>,
): Record<string, InSuite<Case>> {
  const registered: Record<string, InSuite<Case>> = {};
  for (const [title, one] of Object.entries(cases)) {
    registered[title] = Object.assign(one, { suite });
  }
  return registered;
}

/** Puts lists of cases together. Two of one title would be one. */
export function allCases<Case>(...lists: Record<string, Case>[]): Record<string, Case> {
  const all: Record<string, Case> = {};
  for (const [title, one] of lists.flatMap((list) => Object.entries(list))) {
    if (Object.hasOwn(all, title)) throw new Error(`Two cases have the title "${title}"`);
    all[title] = one;
  }
  return all;
}
