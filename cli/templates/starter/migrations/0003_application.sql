-- Messages of the contact form.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
);

-- What happened to accounts: app/auth/events.ts writes it.
CREATE TABLE activity (
  id INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  provider TEXT,
  address TEXT,
  at INTEGER NOT NULL
);
CREATE INDEX activity_by_user ON activity (user_id, at);
