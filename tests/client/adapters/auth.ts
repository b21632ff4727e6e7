import { createAuthStore } from "@framework/auth/client";

export const auth = createAuthStore();
