import { accounts, auth } from "./lib/auth.ts";

await auth.migrate();
export const onRequest = accounts.onRequest;
