/**
 * Messages of the demo when it is ready.
 *
 * @module
 */

import { ADMINISTRATOR } from "./demo_seed.ts";

/** Location of the demo. */
export interface DemoLocation {
  /** Address of the application, without a final slash. */
  address: string;
  /** Absolute path of the application's folder. */
  folder: string;
  /** Command that starts Deno on this machine. */
  deno: string;
}

/** The lines that say what to do next. */
export function nextSteps({ address, folder, deno }: DemoLocation): string {
  const { email, password } = ADMINISTRATOR;
  return `
  Open      ${address}
  Sign in   at the identity provider   "Continue with Company", then choose Ada or Grace
            with a password            ${email} and "${password}"
            by email                  any address: the link appears here, in this terminal
            with a passkey             add one at ${address}/account first
            Everything but passkeys works without JavaScript.
  Look at   ${address}/account    sessions, passkeys, connected accounts, a new password
            ${address}/t/acme     a team: for its members, such as Grace
            ${address}/admin      for roles: Grace is an administrator
            ${address}/contact    a limit: three messages in ten minutes
            ${address}/reset      a forgotten password; the link appears here too
            ${address}/api/me     the same sign-in for an API
  Edit      ${folder}
            Change app/page.tsx and load the page again.
  Test      ${deno} install && ${deno} task test    in that folder
  Stop      Ctrl-C

`;
}
