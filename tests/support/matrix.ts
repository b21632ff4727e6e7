/**
 * Whether the matrix runs too: the versions between the oldest and the newest of what an application installs beside the packages, and other people's
 * frameworks and drivers, which take minutes to install or to compile. `deno task test --all` runs it.
 */
export const inMatrix: boolean = Deno.env.get("TEST_MATRIX") === "true";
