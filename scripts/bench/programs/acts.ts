import { type ActName, ACTS, jobOf } from "../acts/act.ts";
import { betterAuthActs } from "../acts/better_auth.ts";
import { handActs } from "../acts/by_hand.ts";
import { libraryActs } from "../acts/library.ts";
import type { Contenders } from "../contender.ts";

/** Contenders of each act. */
export const WHO = ["by hand", "the library", "Better Auth"] as const;

/** The name of a contender. */
export function actName(act: ActName, who: (typeof WHO)[number]): string {
  return `${act}: ${who}`;
}

/** Each act in an application by hand, of the library and of Better Auth, all with `node:sqlite` in memory. */
export const contenders: Contenders = Object.fromEntries(
  ACTS.flatMap((act) => [
    [actName(act, "by hand"), async () => await jobOf("by hand", await handActs[act]())],
    [actName(act, "the library"), async () => await jobOf("the library", await libraryActs[act]())],
    [
      actName(act, "Better Auth"),
      async ({ peers }) => await jobOf("Better Auth", await betterAuthActs[act](peers)),
    ],
  ]) satisfies [string, Contenders[string]][],
);
