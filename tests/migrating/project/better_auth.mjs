// Has Better Auth make its tables in app.db, and sign people up.
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { admin, organization } from "better-auth/plugins";
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
  plugins: [organization(), admin()],
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
await (address === undefined ? database.close() : database.end());
