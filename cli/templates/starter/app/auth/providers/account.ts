import { accountPage } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";

/** The page `/auth/account`: password, passkeys, connected accounts, devices, activity, data. */
export default defineProvider(accountPage());
