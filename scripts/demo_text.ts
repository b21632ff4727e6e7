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
  Sign in   at the identity provider   "Company", then choose Ada or Grace
            with a password            ${email} and "${password}"
            by email                   any address: the link is in the mail
            with a passkey             add one at ${address}/auth/account first
            Everything but passkeys works without JavaScript.
  Mails     ${address}/auth/dev/mail  and here, in this terminal
  Look at   ${address}/auth/signup   an account of your own; the mail completes it
            ${address}/auth/account  password, passkeys, connected accounts, devices, activity
            ${address}/auth/forgot   a forgotten password
            ${address}/auth/team     your teams: start one, invite somebody
            ${address}/t/acme        a team: for its members, such as Grace
            ${address}/admin         for roles: Grace is an administrator
            ${address}/auth/admin    users: find, block, sign out, change roles
            ${address}/contact       a limit: three messages in ten minutes
            ${address}/api/me        the same sign-in for an API
  Edit      ${folder}
            Change app/page.tsx and load the page again.
  Test      ${deno} install && ${deno} task test    in that folder
  Stop      Ctrl-C

`;
}
