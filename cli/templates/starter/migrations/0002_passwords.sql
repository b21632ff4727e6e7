-- Passwords belong to the application: the hash of each user who signs in with one.
CREATE TABLE passwords (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL
);
