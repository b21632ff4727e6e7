import assert from "node:assert/strict";
import {
  ConfigurationError,
  InvalidEmailError,
  OutsideRequestError,
  UserExistsError,
  UserUnavailableError,
} from "../errors.ts";
import * as users from "./users.ts";
import { createUser } from "./users.ts";
import { createTestApplication, visit } from "../tests/application.ts";
import { during, userAt } from "../tests/during.ts";
import { getUser, startSession } from "./operations.ts";
import * as sessions from "./user_sessions.ts";

// Tracks: R039, CVE-2026-16103
Deno.test("disableUser() shuts a user out at once, and enableUser() lets them sign in again", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const admin = await application.signIn("admin");
  const { result } = await during(application, admin, () => users.disableUser("ada"));
  assert.equal(result, true);
  assert.equal(await userAt(application, cookie), null);
  await during(application, admin, async () => {
    await assert.rejects(startSession("ada"), UserUnavailableError);
    assert.equal(await users.disableUser("nobody"), false);
    assert.equal(await users.enableUser("nobody"), false);
    assert.equal(await users.enableUser("ada"), true);
  });
  assert.equal(await userAt(application, cookie), null);
  assert.equal(await userAt(application, await application.signIn()), "ada");
  application.close();
});

// Tracks: R039, GHSA-2vg6, CVE-2026-67334
Deno.test("deleteUser() takes every session with it, also of whoever gets the id next", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const { result, cookies } = await during(application, cookie, async () => {
    const deleted = await users.deleteUser("ada");
    assert.equal(getUser(), null);
    return deleted;
  });
  assert.equal(result, true);
  assert.match(cookies[0]!, /Max-Age=0/);
  await during(application, undefined, async () => {
    assert.equal(await users.deleteUser("ada"), false);
    await createUser({ id: "ada" });
  });
  assert.equal(await userAt(application, cookie), null);
  for (const table of ["sessions", "accounts", "passkeys", "verifications"]) {
    const row = application.database.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get();
    assert.equal(row!.n, 0, table);
  }
  application.close();
});

Deno.test("deleteUser() rejects with the database's words when rows of the application keep the user", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec(`
    CREATE TABLE posts (author TEXT NOT NULL REFERENCES users (id));
    INSERT INTO posts VALUES ('ada');
  `);
  await assert.rejects(
    during(application, cookie, () => users.deleteUser("ada")),
    /FOREIGN KEY constraint failed/,
  );
  assert.equal(await userAt(application, cookie), "ada");
  application.close();
});

Deno.test("setUserRoles() changes roles from the next request on", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  await during(application, cookie, async () => {
    assert.deepEqual((await users.setUserRoles("ada", { role: "admin", roles: ["a"] }))?.roles, [
      "a",
    ]);
    assert.equal((await users.setUserRoles("ada", { roles: [] }))?.role, "admin");
    assert.equal(await users.setUserRoles("nobody", { role: "admin" }), null);
    await assert.rejects(users.setUserRoles("ada", { role: 5 as never }), ConfigurationError);
    await assert.rejects(users.setUserRoles("ada", { roles: "a" as never }), ConfigurationError);
  });
  const { result } = await during(application, cookie, () => Promise.resolve(getUser()));
  assert.deepEqual([result?.role, result?.roles], ["admin", undefined]);
  await during(application, cookie, () => users.setUserRoles("ada", { role: null }));
  assert.equal((await application.auth.storage({}).getUser("ada"))?.role, undefined);
  application.close();
});

// Tracks: GHSA-99h5-pjcv-gr6v, K7
Deno.test("updateUser() changes email, its proof, name and image, and nothing else that is slipped in", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  await during(application, cookie, async () => {
    const changes = {
      name: "Countess",
      email: "Ada@Example.com",
      id: "eve",
      role: "admin",
      roles: ["admin"],
      ["__proto__"]: { role: "admin" },
    };
    const user = await users.updateUser("ada", changes);
    assert.deepEqual({ ...user }, {
      id: "ada",
      email: "Ada@Example.com",
      emailVerified: null,
      name: "Countess",
      image: null,
    });
    assert.equal(await users.updateUser("nobody", { name: "x" }), null);
    await createUser({ id: "bob", email: "bob@example.com" });
    await assert.rejects(users.updateUser("bob", { email: "ada@EXAMPLE.com" }), UserExistsError);
    await assert.rejects(users.updateUser("bob", { email: "no address" }), InvalidEmailError);
    await assert.rejects(
      users.updateUser("bob", { emailVerified: "now" as never }),
      ConfigurationError,
    );
    assert.equal((await users.updateUser("bob", { email: null }))?.email, null);
  });
  application.close();
});

Deno.test("the operations on users reject outside of a request and name themselves", async () => {
  const operations = {
    listSessions: () => sessions.listSessions("ada"),
    endSessions: () => sessions.endSessions("ada"),
    disableUser: () => users.disableUser("ada"),
    enableUser: () => users.enableUser("ada"),
    deleteUser: () => users.deleteUser("ada"),
    setUserRoles: () => users.setUserRoles("ada", {}),
    updateUser: () => users.updateUser("ada", {}),
  };
  for (const [name, operation] of Object.entries(operations)) {
    await assert.rejects(
      operation(),
      (error) => error instanceof OutsideRequestError && error.message.includes(`${name}()`),
    );
  }
});

Deno.test("getUser() gives the columns that the application added and declared, which no sign-in writes", async () => {
  const application = createTestApplication({ userColumns: ["plan"] });
  application.database.sqlite.exec("ALTER TABLE users ADD COLUMN plan TEXT DEFAULT 'free'");
  application.database.sqlite.exec("ALTER TABLE users ADD COLUMN hidden TEXT DEFAULT 'x'");
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET plan = 'pro'");
  await application.signIn();
  interface Member {
    id: string;
    plan: string;
  }
  const response = await visit(application, () => {
    const member = getUser<Member>();
    return Response.json([member?.plan, Object.keys(member ?? {}).includes("hidden")]);
  }, { cookie });
  assert.deepEqual(await response.json(), ["pro", false]);
  application.close();
});

Deno.test("ending sessions is an event, once for each call", async () => {
  const heard: unknown[] = [];
  const application = createTestApplication({
    events: {
      "session-revoked": ({ type, userId, sessionId }) =>
        void heard.push([type, userId, sessionId]),
    },
  });
  await application.signIn();
  await during(application, undefined, async () => {
    await sessions.endSessions("ada");
    await users.disableUser("ada");
    await users.disableUser("nobody");
    await users.deleteUser("ada");
    await users.deleteUser("ada");
  });
  assert.deepEqual(heard, Array(3).fill(["session-revoked", "ada", undefined]));
  application.close();
});
