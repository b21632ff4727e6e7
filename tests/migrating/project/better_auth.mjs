// Has Better Auth make its tables in app.db, and sign people up.
import { betterAuth } from "better-auth";
import { symmetricDecrypt } from "better-auth/crypto";
import { getMigrations } from "better-auth/db/migration";
import { admin, organization, twoFactor } from "better-auth/plugins";
import { DatabaseSync } from "node:sqlite";
import process from "node:process";
import pg from "pg";

const address = process.env.DATABASE_URL; // of PostgreSQL
const database = address === undefined
  ? new DatabaseSync("app.db")
  : new pg.Pool({ connectionString: address });
const options = {
  database,
  secret: "qX7vB2mN9pLk4RtY8wZc1HsD5fGj3aUe",
  baseURL: "http://localhost:3000",
  emailAndPassword: { enabled: true },
  plugins: [organization(), admin(), twoFactor()],
  telemetry: { enabled: false },
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);

const { headers, response } = await auth.api.signUpEmail({
  body: { name: "Ada", email: "Ada@Example.com", password: "correct horse battery" },
  returnHeaders: true,
});
const ada = response.user.id;
const cookie = headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
const { id: organizationId } = await auth.api.createOrganization({
  body: { name: "Acme", slug: "acme", metadata: { plan: "pro" } },
  headers: new Headers({ cookie }),
});
const invitations = [];
for (const name of ["Cy", "dan"]) {
  invitations.push(
    await auth.api.createInvitation({
      body: { email: `${name}@Example.com`, role: ["admin", "member"], organizationId },
      headers: new Headers({ cookie }),
    }),
  );
}
await auth.api.cancelInvitation({
  body: { invitationId: invitations[1].id },
  headers: new Headers({ cookie }),
});
const { user: grace } = await auth.api.signUpEmail({
  body: { name: "Grace", email: "grace@example.com", password: "another long password" },
});
const { internalAdapter } = await auth.$context;
await internalAdapter.updateUser(ada, { emailVerified: true, role: "admin,editor" });
await internalAdapter.updateUser(grace.id, { banned: true });
await internalAdapter.linkAccount({
  userId: ada,
  providerId: "github",
  accountId: "4711",
  accessToken: "old access token",
  scope: ["read:user", "user:email"].join(","),
});
await internalAdapter.linkAccount({ userId: grace.id, providerId: "google", accountId: "0815" });
const bans = { Past: "2026-02-01T00:00:00.000Z", Later: "2099-01-01T00:00:00.000Z" };
for (const [name, end] of Object.entries(bans)) {
  const { user } = await auth.api.signUpEmail({
    body: { name, email: `${name}@example.com`, password: "another long password" },
  });
  const ban = { banned: true, banExpires: new Date(end), image: "http://images.example/a.png" };
  await internalAdapter.updateUser(user.id, ban);
}

const { headers: signedUp, response: { user: eve } } = await auth.api.signUpEmail({
  body: { name: "Eve", email: "eve@example.com", password: "another long password" },
  returnHeaders: true,
});
const ofEve = new Headers({
  cookie: signedUp.getSetCookie().map((line) => line.split(";")[0]).join("; "),
});
const { totpURI } = await auth.api.enableTwoFactor({
  body: { password: "another long password" },
  headers: ofEve,
});
const { adapter } = await auth.$context;
const where = [{ field: "userId", value: eve.id }];
const { secret: data } = await adapter.findOne({ model: "twoFactor", where });
const secret = await symmetricDecrypt({ key: options.secret, data });
const { code } = await auth.api.generateTOTP({ body: { secret } });
await auth.api.verifyTOTP({ body: { code }, headers: ofEve });
// Who gets codes by mail alone.
await internalAdapter.updateUser(ada, { twoFactorEnabled: true });

// The application's own: rows of users, and what an authenticator app has read from a QR code.
const execute = (sql) => address === undefined ? database.exec(sql) : database.query(sql);
await execute(`CREATE TABLE posts (id INTEGER PRIMARY KEY,
  author TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE)`);
await execute(`INSERT INTO posts VALUES (1, '${ada}'), (2, '${grace.id}')`);
await execute("CREATE TABLE apps (secret TEXT)");
await execute(`INSERT INTO apps VALUES ('${new URL(totpURI).searchParams.get("secret")}')`);
await (address === undefined ? database.close() : database.end());
