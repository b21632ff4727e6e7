import { credentials, parseEmailAddress, verifyPassword } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import type { Env } from "../../../env.ts";

interface Row {
  id: string;
  email: string;
  name: string | null;
  hash: string;
}

/** Sign-in by email and password. */
export default defineProvider(credentials<Env>({
  credentials: {
    email: { label: "Email", type: "email", required: true },
    password: { label: "Password", type: "password", required: true },
  },
  async authorize({ email, password }, { env }) {
    const row = await env.DB.prepare(
      `SELECT users.id, users.email, users.name, passwords.hash
         FROM users JOIN passwords ON passwords.user_id = users.id
        WHERE users.email_identity = ?`,
    ).bind(parseEmailAddress(email ?? "")?.identity ?? "").first<Row>();
    // Without a row the check costs the same: an attacker learns nothing from the time it takes.
    const valid = await verifyPassword(password ?? "", row?.hash ?? null);
    return valid && row ? { id: row.id, email: row.email, name: row.name } : null;
  },
}));
