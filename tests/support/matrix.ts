/**
 * True when the matrix runs too: other people's frameworks and drivers, and the versions between the oldest and the
 * newest of the packages that an application installs beside these, which take minutes to install or to compile; and what
 * repeats a case with every command or more often. `deno task test --all` runs it.
 */
export const inMatrix: boolean = Deno.env.get("TEST_MATRIX") === "true";

/** Rounds of a race over a storage: a push sees that there is a winner, and the matrix looks for the rarer orders. */
export const RACE_ROUNDS: number = inMatrix ? 20 : 2;
