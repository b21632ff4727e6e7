-- Messages of the contact form.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
);

-- Who may join a team: app/t/[tenant]/page.tsx invites, app/dashboard/page.tsx shows it to the owner of the address.
CREATE TABLE invitations (
  tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  email_identity TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, email_identity)
);
CREATE INDEX invitations_by_email ON invitations (email_identity);
