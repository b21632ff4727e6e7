-- migrations/0001_notes.sql
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL);
