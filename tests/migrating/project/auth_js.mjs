// Fills app.db with the tables and rows of Auth.js, by its own adapter for D1.
import { D1Adapter, up } from "@auth/d1-adapter";
import { DatabaseSync } from "node:sqlite";

const file = new DatabaseSync("app.db");
function prepare(sql, values = []) {
  return {
    bind: (...bound) => prepare(sql, bound),
    first: () => Promise.resolve(file.prepare(sql).get(...values) ?? null),
    run: () => Promise.resolve({ success: true, results: file.prepare(sql).run(...values) }),
  };
}
await up({ prepare });
const adapter = D1Adapter({ prepare });

const ada = await adapter.createUser({
  name: "Ada",
  email: "Ada@Example.com",
  emailVerified: new Date("2026-01-02T03:04:05.000Z"),
  image: "https://images.example/ada.png",
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
await adapter.createSession({
  userId: ada.id,
  sessionToken: "old session token",
  expires: new Date("2099-01-01T00:00:00.000Z"),
});
const grace = await adapter.createUser({
  name: "Grace",
  email: "grace@example.com",
  image: "http://images.example/grace.png",
});
await adapter.createVerificationToken({
  identifier: grace.email,
  token: "old token",
  expires: new Date("2099-01-01T00:00:00.000Z"),
});
if (process.argv[2] === "twin") {
  await adapter.createUser({ name: "Twin", email: "GRACE@example.com" });
}
// The application's own.
file.exec(`CREATE TABLE posts (id INTEGER PRIMARY KEY,
  author TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE)`);
for (const { id } of [ada, grace]) file.prepare("INSERT INTO posts (author) VALUES (?)").run(id);
file.close();
