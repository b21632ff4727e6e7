/**
 * What the demo says when it is ready.
 *
 * @module
 */

/** Where the demo is. */
export interface DemoLocation {
  /** Address of the application, without a final slash. */
  address: string;
  /** Absolute path of the application's folder. */
  folder: string;
  /** How Deno is called on this machine. */
  deno: string;
}

/** The lines that say what to do next. */
export function nextSteps({ address, folder, deno }: DemoLocation): string {
  return `
  Open      ${address}
  Try       Create an account, look at ${address}/dashboard and ${address}/api/me,
            sign out and in again. Everything works without JavaScript.
  Admin     ${address}/admin is for administrators. Make yourself one:
            cd ${folder}
            ${deno} run -A npm:wrangler d1 execute DB --local \\
              --command "UPDATE users SET role = 'admin'"
  Edit      ${folder}
            Change app/page.tsx and load the page again.
  Test      ${deno} task test    in that folder
  Stop      Ctrl-C

`;
}
