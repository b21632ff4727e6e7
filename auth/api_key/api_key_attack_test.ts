import assert from "node:assert/strict";
import { accountPage } from "../account/page.ts";
import { createEndpointTable } from "../app/endpoints.ts";
import { settingsOf } from "../session/settings_of.ts";
import { startSession } from "../session/operations.ts";
import { readAuth } from "../session/read_session.ts";
import { createUser, deleteUser, passwordChanged, setUserRoles } from "../session/users.ts";
import { email } from "../sign_in/email/provider.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createKeyApplication } from "../tests/api_key_application.ts";
import { ORIGIN } from "../tests/application.ts";
import { during } from "../tests/during.ts";
import { createKeyId, createKeySecret, writeApiKey } from "./key.ts";

const SECRET = "a secret of at least thirty-two bytes";

/** An application with every way in, and an account page, and the key of a user. */
async function createHouse(session: Parameters<typeof createKeyApplication>[0] = {}) {
  const app = createKeyApplication({
    secret: SECRET,
    ...session,
    providers: [
      email({ from: "app@app.example", sendVerificationRequest: () => Promise.resolve() }),
      passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
      secondFactor({ sendMail() {} }),
    ],
  });
  return { app, ...await app.make() };
}

// Tracks: R188, R189
Deno.test("a key in the place of a session opens no endpoint, and sends no statement there", async () => {
  const { app, key } = await createHouse();
  const table = createEndpointTable(settingsOf(app.auth, {}));
  let asked = 0;
  for (const [path, methods] of table) {
    for (const method of methods.keys()) {
      const before = app.database.trips;
      const headers = { authorization: `Bearer ${key}`, accept: "application/json" };
      const response = await app.send(path.replace("*", "x"), { method, headers });
      assert.equal(response.status, 403, `${method} ${path}`);
      assert.equal((await response.json()).code, "API_KEY_REFUSED", `${method} ${path}`);
      assert.deepEqual(response.headers.getSetCookie(), [], `${method} ${path}`);
      assert.equal(app.database.trips, before, `${method} ${path}`);
      asked++;
    }
  }
  assert.ok(asked > 30, String(asked));
  app.close();
});

// Tracks: R188
Deno.test("a key counts by the Authorization header alone, in its one spelling", async () => {
  const { app, key } = await createHouse();
  const elsewhere: Record<string, Record<string, string>> = {
    "no scheme": { authorization: key },
    "another scheme": { authorization: `Token ${key}` },
    "basic": { authorization: `Basic ${btoa(`${key}:`)}` },
    "upper case": { authorization: `Bearer ${key.toUpperCase()}` },
    "padding": { authorization: `Bearer ${key}=` },
    "a header of its own": { "x-api-key": key },
    "a cookie": { cookie: `framework.session-token=${key}` },
    "a cookie with the prefix": { cookie: `__Host-framework.session-token=${key}` },
  };
  for (const [name, headers] of Object.entries(elsewhere)) {
    const response = await app.ask(null, { headers });
    assert.equal(response.status, 401, name);
  }
  const query = await app.ask(null, { path: `/api?api_key=${key}&access_token=${key}` });
  assert.equal(query.status, 401);
  for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
    const headers = { authorization: `${scheme} ${key}` };
    assert.equal((await app.ask(null, { headers })).status, 200, scheme);
  }
  app.close();
});

// Tracks: R188
Deno.test("a key of somebody who is gone opens nothing, also when it is used at the same time", async () => {
  for (const database of [undefined, createMemoryStorage()]) {
    const app = createKeyApplication(database ? { database } : {});
    const { key } = await app.make();
    const answers = await Promise.all([
      during(app, undefined, () => deleteUser("ada")),
      ...Array.from({ length: 20 }, () => app.ask(key)),
    ]);
    assert.ok(answers.length === 21);
    assert.equal((await app.ask(key)).status, 401);
    // Nor does it come back with somebody of the same id.
    await during(app, undefined, () => createUser({ id: "ada" }));
    assert.equal((await app.ask(key)).status, 401);
    app.close();
  }
});

// Tracks: R188
Deno.test("a session that begins in a request with a key has no more than the key in that request", async () => {
  const app = createKeyApplication();
  const { key } = await app.make({ permissions: "posts:read" });
  await during(app, undefined, () => createUser({ id: "root", roles: ["admin"] }));
  const response = await app.ask(key, {
    work: async (auth) => {
      await startSession("root");
      return Response.json([
        (await auth.getUser())?.id,
        await auth.hasPermission("posts:read"),
        await auth.hasPermission("users:delete"),
      ]);
    },
  });
  assert.deepEqual(await response.json(), ["root", true, false]);
  // What needs the session of this request finds none behind a key.
  const changed = await app.ask(key, {
    work: async () => {
      await passwordChanged("ada");
      return new Response();
    },
  });
  assert.equal(changed.status, 401);
  app.close();
});

// Tracks: R188
Deno.test("a session that begins in a request with a key has the roles of its own user, not those of the key's owner", async () => {
  const app = createKeyApplication();
  const cookie = await app.signIn();
  const { key } = await app.make({ permissions: "posts:read users:manage" }, cookie);
  await during(app, undefined, () => createUser({ id: "root", roles: ["admin"] }));
  await during(app, undefined, () => createUser({ id: "eve", roles: ["reader"] }));
  const seenAs = async (userId: string) => {
    const response = await app.ask(key, {
      work: async (auth) => {
        await startSession(userId);
        return Response.json([
          (await auth.getUser())?.roles,
          await auth.hasPermission("posts:read"),
          await auth.hasPermission("users:manage"),
        ]);
      },
    });
    return await response.json();
  };
  for (const role of ["reader", "admin"]) {
    await during(app, undefined, () => setUserRoles("ada", { roles: [role] }));
    assert.deepEqual(await seenAs("root"), [["admin"], true, true], role);
    assert.deepEqual(await seenAs("eve"), [["reader"], true, false], role);
  }
  app.close();
});

Deno.test("outside of auth.run() a key is nobody", async () => {
  const app = createKeyApplication();
  const { key } = await app.make();
  const request = new Request(`${ORIGIN}/`, { headers: { authorization: `Bearer ${key}` } });
  const { getUser, hasPermission } = readAuth(app.auth, request, {});
  assert.deepEqual([await getUser(), await hasPermission("posts:read")], [null, false]);
  app.close();
});

// Tracks: R188
Deno.test("a flood of keys with right checksums is counted, and no flood of others reaches the database", async () => {
  const app = createKeyApplication();
  const { key } = await app.make();
  await app.ask(key);
  const beginning = "acme_live_";
  const before = app.database.trips;
  const garbage = Array.from({ length: 300 }, () => {
    const right = writeApiKey(beginning, { id: createKeyId(), secret: createKeySecret() });
    return right.slice(0, -1) + (right.at(-1) === "0" ? "1" : "0");
  });
  const refused = await Promise.all(garbage.map((one) => app.ask(one)));
  assert.ok(refused.every(({ status }) => status === 401));
  assert.equal(app.database.trips, before);
  const forged = Array.from(
    { length: 100 },
    () => writeApiKey(beginning, { id: createKeyId(), secret: createKeySecret() }),
  );
  const counted = await Promise.all(forged.map((one) => app.ask(one)));
  assert.equal(counted.filter(({ status }) => status === 401).length, 60);
  assert.equal(counted.filter(({ status }) => status === 429).length, 40);
  app.close();
});

// Tracks: R188
Deno.test("no key is in the log, in an event, an error, a copy of the data or the database", async () => {
  const { app, key, id } = await createHouse();
  const cookie = await app.signIn();
  const headers = { accept: "application/json" };
  const rotated = await app.send("/api-keys/rotate", { cookie, json: { id }, headers });
  const { key: second } = await rotated.json();
  const bodies: string[] = [];
  for (
    const one of [key, second, `${key}x`, key.replace("_live_", "_test_"), `${key}, ${second}`]
  ) {
    for (const path of ["/api/posts", `/api/posts?next=${encodeURIComponent("/")}`]) {
      const failing = await app.ask(one, {
        path,
        work: () => {
          throw new TypeError("A mistake of the application");
        },
      }).catch((error) => new Response(String(error)));
      bodies.push(await failing.text());
    }
  }
  app.database.fail = "the database is gone";
  bodies.push(await (await app.ask(key)).text());
  app.database.fail = undefined;
  const data = await app.send("/account/export", { cookie, fields: {} });
  const text = await data.text();
  assert.equal(JSON.parse(text).apiKeys[0].id, id);
  bodies.push(text);
  const tables = app.database.sqlite.prepare("SELECT * FROM api_keys").all();
  const all = JSON.stringify([bodies, app.log, app.told, tables]);
  for (const one of [key, second]) assert.equal(all.includes(one.split("_")[3]), false);
  assert.doesNotMatch(text, /hash/i);
  app.close();
});

Deno.test("accounts without keys export an empty list, and those without apiKeys() none", async () => {
  const { createTestApplication, passwordProvider } = await import("../tests/application.ts");
  const app = createTestApplication({ providers: [passwordProvider(), accountPage()] });
  const cookie = await app.signIn();
  const data = await (await app.send("/account/export", { cookie, fields: {} })).json();
  assert.equal("apiKeys" in data, false);
  app.close();
});

// Tracks: R184, R188
Deno.test("roles of teams are a list of their own for keys too: none is of the site, and no stored one counts", async () => {
  const app = createKeyApplication({
    rbac: defineRBAC({
      roles: [{ id: "reader", name: "Reader", permissions: ["posts:read", "keys:manage"] }],
      teamRoles: [
        { id: "owner", name: "Owner", permissions: ["keys:manage", "posts:update"] },
        { id: "guest", name: "Guest", permissions: [] },
      ],
      defaultRole: "reader",
    }),
  });
  const { tenants, members } = app;
  await tenants.create({ id: "t1", slug: "t1", name: "t1" });
  const at = { createdAt: new Date(0) };
  const [ada, eve] = [await app.signIn("ada"), await app.signIn("eve")];
  await members.add({ tenantId: "t1", userId: "ada", roles: ["owner"], ...at });
  await members.add({ tenantId: "t1", userId: "eve", roles: ["guest"], ...at });
  await during(app, undefined, () => setUserRoles("eve", { roles: ["team:owner", "owner"] }));
  // Neither what is stored nor the role by default makes anybody a manager of keys.
  await assert.rejects(app.make({ tenant: "t1", permissions: "posts:update" }, eve), /FORBIDDEN/);
  const team = await app.make({ tenant: "t1", permissions: "posts:update" }, ada);
  await assert.rejects(app.make({ tenant: "t1", permissions: "posts:read" }, ada), /FORBIDDEN/);
  const headers = { "x-tenant-id": "t1" };
  const guard = { apiKey: true, permission: "posts:update" };
  assert.equal((await app.ask(team.key, { guard, headers })).status, 200);
  const may = ["posts:update", "posts:read"];
  const [ofEve, ofAda] = [(await app.make({}, eve)).key, (await app.make({}, ada)).key];
  for (
    const [key, there, rights] of [
      [ofAda, headers, [true, true]],
      [ofEve, headers, [false, false]],
      [ofEve, {}, [false, false]],
    ] as const
  ) {
    const seen = await app.ask(key, { headers: { ...there }, may });
    assert.deepEqual((await seen.json()).may, rights);
  }
  app.close();
});
