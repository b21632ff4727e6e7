import { ACTS } from "../acts/act.ts";
import {
  type BenchOptions,
  contendersOf,
  measureContest,
  ratioGoal,
  timingOf,
} from "../contest.ts";
import { actName, WHO } from "../programs/acts.ts";
import type { Section } from "../report.ts";
import type { RuntimeName } from "../runtimes.ts";

const RUNTIMES: readonly RuntimeName[] = ["Node", "Deno"];

/** Measures what people do once or now and then: sign-up, proofs, second factors, keys and invitations. */
export async function measureActs(options: BenchOptions): Promise<Section> {
  const names = Object.keys(await contendersOf("acts.ts"));
  const times = await measureContest(
    { program: "acts.ts", names, runtimes: RUNTIMES, lanes: 1 },
    options,
  );
  return {
    name: "acts",
    title: "Sign-up, proofs, keys and invitations",
    about:
      "Each over a whole request, in `node:sqlite` in memory, one after the other. CPU time. Passwords are not hashed, by nobody, " +
      "and limits of attempts are off. A sign-up makes the user and a session and mails a token; a sign-in with a second factor is two " +
      "requests, with the password and with the code of an app, in a browser that is known. Before they are timed, all are asked what is wrong: an address that has an " +
      "account, changed and used tokens, wrong codes, revoked keys, ended invitations and those of others, and whether an invitation opens " +
      "another team; the library also for a key in another team. Better Auth is not asked for what it does not refuse: a used code, a used token of a verification, and " +
      "one in another browser. The hand prepares its statements once and mails one line; it asks for no common password, writes no page or mail in HTML and in the " +
      "language of who reads it, knows no browsers, and tells of no events.",
    tables: RUNTIMES.map((runtime) => ({
      title: runtime,
      columns: [...ACTS],
      rows: WHO.map((who) => ({
        name: who,
        figures: ACTS.map((act) => {
          const timing = timingOf(times, runtime, actName(act, who));
          return timing === undefined
            ? null
            : { value: timing.microseconds, unit: "µs" as const, noise: timing.noise };
        }),
      })),
      base: WHO[1],
    })),
    goals: RUNTIMES.flatMap((runtime) =>
      ACTS.flatMap((act) => {
        const [, own, other] = WHO.map((who) => timingOf(times, runtime, actName(act, who)));
        return ratioGoal(`${runtime}: ${act}, Better Auth over the library`, [other, own], {
          is: "at least",
          limit: 1,
        });
      })
    ),
  };
}
