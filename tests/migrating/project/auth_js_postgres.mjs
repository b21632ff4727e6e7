// Fills a database with the tables and rows of Auth.js, by its own adapter for PostgreSQL, and with passwords.
import PostgresAdapter from "@auth/pg-adapter";
import bcrypt from "bcryptjs";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// As the page of the adapter has them, and the column of an application with `Credentials`.
await pool.query(`
  CREATE TABLE verification_token (
    identifier TEXT NOT NULL, expires TIMESTAMPTZ NOT NULL, token TEXT NOT NULL,
    PRIMARY KEY (identifier, token)
  );
  CREATE TABLE accounts (
    id SERIAL, "userId" INTEGER NOT NULL, type VARCHAR(255) NOT NULL,
    provider VARCHAR(255) NOT NULL, "providerAccountId" VARCHAR(255) NOT NULL,
    refresh_token TEXT, access_token TEXT, expires_at BIGINT, id_token TEXT, scope TEXT,
    session_state TEXT, token_type TEXT, PRIMARY KEY (id)
  );
  CREATE TABLE sessions (
    id SERIAL, "userId" INTEGER NOT NULL, expires TIMESTAMPTZ NOT NULL,
    "sessionToken" VARCHAR(255) NOT NULL, PRIMARY KEY (id)
  );
  CREATE TABLE users (
    id SERIAL, name VARCHAR(255), email VARCHAR(255), "emailVerified" TIMESTAMPTZ, image TEXT,
    PRIMARY KEY (id)
  );
  ALTER TABLE users ADD COLUMN password TEXT;
`);
const adapter = PostgresAdapter(pool);
const ada = await adapter.createUser({
  name: "Ada",
  email: "Ada@Example.com",
  emailVerified: new Date("2026-01-02T03:04:05.000Z"),
  image: null,
});
await adapter.linkAccount({
  userId: ada.id,
  type: "oauth",
  provider: "github",
  providerAccountId: "4711",
  access_token: "old access token",
  token_type: "bearer",
  scope: "read:user,user:email",
});
const grace = await adapter.createUser({
  name: "Grace",
  email: "grace@example.com",
  emailVerified: null,
  image: null,
});
const hash = await bcrypt.hash("correct horse battery", 10);
await pool.query("UPDATE users SET password = $1 WHERE id = $2", [hash, grace.id]);
// The application's own.
await pool.query(`CREATE TABLE posts (id SERIAL PRIMARY KEY,
  author INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE)`);
await pool.query("INSERT INTO posts (author) VALUES ($1), ($2)", [ada.id, grace.id]);
await pool.end();
