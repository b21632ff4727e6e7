import { accounts, auth } from "#lib/server/auth.ts";

export const handle = accounts.handle;
export async function init() {
  await auth.migrate();
}
