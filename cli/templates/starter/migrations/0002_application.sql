-- Messages of the contact form.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
);
