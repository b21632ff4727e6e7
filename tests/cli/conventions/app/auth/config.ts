import { defineAuthConfig } from "@framework/auth/convention";

export default defineAuthConfig({ session: { strategy: "database" } });
