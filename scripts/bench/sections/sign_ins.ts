import {
  type BenchOptions,
  contendersOf,
  fastest,
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
  const inDatabase = Object.keys(await contendersOf("oauth_database.ts"));
  const processes: readonly RuntimeName[] = ["Node", "Deno"];
  const database = await measureContest(
    { program: "oauth_database.ts", names: inDatabase, runtimes: processes },
    options,
  );
  const hand = "by hand, with every check";
  const limit = { is: "at most", limit: 2 } as const;
  return {
    name: "oauth",
    title: "A sign-in at a provider",
    about:
      "To the provider and back, with state and PKCE: redirect, callback, token, profile and addresses, session. " +
      "CPU time. The provider's endpoints are local, in the process, so that only the work of the library that asks " +
      "them is left. By hand there are two: one that does what it must, with neither request nor check, and one that checks " +
      "what the library checks: the origin of the start, a sealed transaction, the issuer of the answer, the page to come " +
      "back to, and time, size and redirects of the three answers; it and the library have refused another page, " +
      "state, browser and provider before. Its cryptography is WebCrypto's or that of `node:crypto`, which workerd has not all of. With `node:sqlite` the transaction is a row that counts once, " +
      "and each sign-in makes a user, an account and a session together.",
    tables: [
      timesTable(times, { title: "OAuth 2.0", names, base: LIBRARY }),
      timesTable(database, {
        title: "OAuth 2.0, with `node:sqlite`",
        names: inDatabase,
        base: LIBRARY,
      }),
    ],
    goals: [
      ...ALL.map((runtime) =>
        ratioGoal(
          `${runtime}: sign-in at a provider, the library over by hand with every check`,
          [timingOf(times, runtime, LIBRARY), fastest(times, runtime, hand)],
          limit,
        )
      ),
      ...processes.map((runtime) =>
        ratioGoal(
          `${runtime}: sign-in at a provider with SQLite, the library over by hand with every check`,
          [timingOf(database, runtime, LIBRARY), fastest(database, runtime, hand)],
          limit,
        )
      ),
    ],
  };
}
