import {
  type BenchOptions,
  contendersOf,
  measureContest,
  ratioGoal,
  timesTable,
  timingOf,
} from "../contest.ts";
import type { Section } from "../report.ts";
import type { RuntimeName } from "../runtimes.ts";

const LIBRARY = "the library";
const ALL: readonly RuntimeName[] = ["Node", "Deno", "workerd"];
const HASHED = "with a hash: ";

/** Measures making a session for somebody who is known. */
export async function measureMints(options: BenchOptions): Promise<Section> {
  const names = Object.keys(await contendersOf("mint_jwt.ts"));
  const jwt = await measureContest({ program: "mint_jwt.ts", names, runtimes: ALL }, options);
  const inDatabase = Object.keys(await contendersOf("mint_database.ts"));
  const database = await measureContest(
    { program: "mint_database.ts", names: inDatabase, runtimes: ["Node", "Deno"] },
    options,
  );
  return {
    name: "mint",
    title: "A new session",
    about:
      "For a user who is known, up to the cookie. CPU time. The library asks its storage for the user.",
    tables: [
      timesTable(jwt, { title: "As a token", names, base: LIBRARY }),
      timesTable(database, {
        title: "As a row of `node:sqlite`",
        names: inDatabase,
        base: LIBRARY,
      }),
    ],
    goals: [],
  };
}

/** Measures sign-ins with a password. */
export async function measureSignIns(options: BenchOptions): Promise<Section> {
  const all = Object.keys(await contendersOf("sign_in.ts"));
  const names = all.filter((name) => !name.startsWith(HASHED));
  const hashed = all.filter((name) => name.startsWith(HASHED));
  const program = "sign_in.ts";
  const without = await measureContest({ program, names, runtimes: ALL }, options);
  const withHash = await measureContest(
    { program, names: hashed, runtimes: ALL, lanes: 1 },
    { ...options, rounds: Math.max(1, Math.ceil(options.rounds / 4)) },
  );
  return {
    name: "sign-in",
    title: "A sign-in with a password",
    about:
      "The form is posted, checked and answered with a session. CPU time. The limits of attempts are off " +
      "unless the name says otherwise, as they are in the others. The library's scrypt has OWASP's parameters N=2¹⁴, " +
      "r=8, p=5; Better Auth's own has N=2¹⁴, r=16, p=1, which is two fifths of the work.",
    tables: [
      timesTable(without, { title: "Without a hash", names, base: LIBRARY }),
      timesTable(withHash, {
        title: "With a hash",
        names: hashed,
        base: `${HASHED}the library, scrypt`,
        unit: "ms",
        label: (name) => name.slice(HASHED.length),
      }),
    ],
    goals: ALL.map((runtime) =>
      ratioGoal(
        `${runtime}: sign-in without a hash, the library over by hand`,
        [timingOf(without, runtime, LIBRARY), timingOf(without, runtime, "by hand, HS256 cookie")],
        { is: "at most", limit: 2.5 },
      )
    ),
  };
}

/** Measures sign-ins at a provider. */
export async function measureOAuth(options: BenchOptions): Promise<Section> {
  const names = Object.keys(await contendersOf("oauth.ts"));
  const times = await measureContest({ program: "oauth.ts", names, runtimes: ALL }, options);
  return {
    name: "oauth",
    title: "A sign-in at a provider",
    about:
      "To the provider and back, with state and PKCE: redirect, callback, token, profile and addresses, session. " +
      "CPU time. The provider's endpoints are local, in the process, so that only the work of the library that asks " +
      "them is left.",
    tables: [timesTable(times, { title: "OAuth 2.0", names, base: LIBRARY })],
    goals: [],
  };
}
