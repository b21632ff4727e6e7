import { adminPage } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";

/** The pages `/auth/admin`: find users, see and end their sessions, change roles, block, delete. */
export default defineProvider(adminPage({ permission: "users:manage" }));
