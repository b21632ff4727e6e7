import { defineAuthEvents } from "@framework/auth/convention";
import type { Env } from "../../env.ts";

/** Keeps what happened to each account, for its owner (`/account`) and for administrators. */
export default defineAuthEvents((env: Env) => ({
  async "*"({ type, userId, provider, address, at }) {
    if (userId === undefined) return;
    await env.DB.prepare(
      "INSERT INTO activity (user_id, type, provider, address, at) VALUES (?, ?, ?, ?, ?)",
    ).bind(userId, type, provider ?? null, address ?? null, at.getTime()).run();
  },
}));
