/**
 * Permissions of the program `framework` when Deno runs it: compiled, and in the tests of its
 * commands.
 *
 * A project lies anywhere, so reading and writing have no folder to be limited to; the tools that a
 * project brings are found on the PATH; `dev` listens where `--host` says. Foreign functions (`--allow-ffi`)
 * and code from the network (`--allow-import`) are never needed, and nobody is asked at run time.
 *
 * @module
 */

/** Options of `deno run` and `deno compile`. */
export const permissions: readonly string[] = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-net",
  // The home folder keeps the certificate of `dev --https`; `dev --host 0.0.0.0` names its addresses.
  "--allow-sys=homedir,networkInterfaces",
];
