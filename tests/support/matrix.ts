/**
 * True when the matrix runs too: other people's frameworks and drivers, and the versions between the oldest and the
 * newest of the packages that an application installs beside these. They take minutes to install or to compile. `deno
 * task test --all` runs it.
 */
export const inMatrix: boolean = Deno.env.get("TEST_MATRIX") === "true";
