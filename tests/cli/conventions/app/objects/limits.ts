export { RateLimitObject } from "@framework/auth/rate-limit";
