// Fills app.db with the tables of Lucia's documentation, by its own adapter and hashes.
import { BetterSqlite3Adapter } from "@lucia-auth/adapter-sqlite";
import { hash } from "@node-rs/argon2";
import { generateIdFromEntropySize, LegacyScrypt, Lucia, Scrypt } from "lucia";
import { DatabaseSync } from "node:sqlite";

const file = new DatabaseSync("app.db");
file.exec(`
  CREATE TABLE user (
    id TEXT NOT NULL PRIMARY KEY,
    username TEXT UNIQUE,
    email TEXT UNIQUE,
    email_verified INTEGER,
    github_id INTEGER UNIQUE,
    password_hash TEXT
  );
  CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    FOREIGN KEY (user_id) REFERENCES user(id)
  );
  CREATE TABLE oauth_account (
    provider_id TEXT NOT NULL,
    provider_user_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (provider_id, provider_user_id),
    FOREIGN KEY (user_id) REFERENCES user(id)
  );
`);
const insert = file.prepare("INSERT INTO user VALUES (?, ?, ?, ?, ?, ?)");
const ada = generateIdFromEntropySize(10);
const password = await new Scrypt().hash("correct horse battery");
insert.run(ada, "ada", "ada@example.com", 1, 4711, password);
insert.run("grace", "grace", "grace@example.com", 0, null, await hash("another long password"));
insert.run("old", null, "old@example.com", 0, null, await new LegacyScrypt().hash("of version two"));
file.prepare("INSERT INTO oauth_account VALUES (?, ?, ?)").run("google", "0815", "grace");
const lucia = new Lucia(new BetterSqlite3Adapter(file, { user: "user", session: "session" }));
await lucia.createSession(ada, {});
// The application's own.
file.exec(`CREATE TABLE posts (id INTEGER PRIMARY KEY,
  author TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE)`);
for (const id of [ada, "grace"]) file.prepare("INSERT INTO posts (author) VALUES (?)").run(id);
file.close();
