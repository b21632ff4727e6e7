import type { RateLimitObjectNamespace } from "@framework/auth/rate-limit";

/** The bindings of wrangler.jsonc, as far as this application uses them. */
export interface Env {
  LOG: {
    get(key: string): Promise<string | null>;
    put(key: string, value: string): Promise<void>;
  };
  MAILS: { send(body: unknown): Promise<void> };
  COUNTER: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(url: string): Promise<Response> };
  };
  LIMITS: RateLimitObjectNamespace;
}
