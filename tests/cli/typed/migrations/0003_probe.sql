CREATE TABLE probes (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL DEFAULT 'open',
  done INTEGER NOT NULL,
  labels TEXT,
  note TEXT NOT NULL
);
