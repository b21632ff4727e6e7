import { authMiddleware } from "@framework/auth/middleware";

export const middleware = authMiddleware();
