import assert from "node:assert/strict";
import { requireAuth } from "../../session/operations.ts";
import { createTestApplication, visit } from "../../tests/application.ts";
import { createDevice } from "../../tests/device.ts";
import { LONG, openSqlite, seen, SHORT, testOver } from "../../tests/device_application.ts";
import { deviceBound } from "./provider.ts";

testOver("signing out and a new sign-in end both cookies", async (application) => {
  const { ada } = application;
  await ada.signIn();
  await ada.register();
  const before = ada.cookie();
  await ada.signIn();
  assert.equal(ada.jar.has(SHORT), false);
  assert.equal(await seen(application, before), "undefined undefined");
  await ada.register();
  const second = ada.cookie();
  const response = await application.send("/signout", { cookie: second, fields: {} });
  const gone = response.headers.getSetCookie().map((line) => line.split("=", 1)[0]);
  assert.ok(gone.includes(SHORT) && gone.includes(LONG));
  assert.equal(await seen(application, second), "undefined undefined");
  const lapsed = await createDevice(application);
  await lapsed.signIn();
  await lapsed.register();
  lapsed.jar.delete(SHORT);
  assert.equal(
    (await application.send("/signout", { cookie: lapsed.cookie(), fields: {} })).status,
    303,
  );
  assert.equal((await lapsed.refresh()).status, 400);
});

testOver("cookies of nobody's are asked for a proof, and leave no row", async (application) => {
  const { database } = application;
  const rows = () =>
    Number(database.sqlite.prepare("SELECT count(*) AS n FROM rate_limits").get()!.n);
  const before = rows();
  for (let round = 0; round < 70; round++) {
    const nobody = await createDevice(application);
    nobody.jar.set(LONG, String(round).padStart(43, "b"));
    assert.equal((await nobody.ask("refresh")).status, 403);
  }
  assert.equal(rows(), before);
}, { only: "database" });

// A sibling host registers a session of its own, and names this address as the one that refreshes it.
testOver(
  "what a sibling host has a browser send ends no session, binds none and counts nothing",
  async (application) => {
    const { ada, send, told } = application;
    await ada.signIn();
    const eve = await createDevice(application);
    const sibling = { origin: "https://evil.example.com", "sec-fetch-site": "same-site" };
    const byEve = async (path: string, challenge: string) =>
      await send(`/device/${path}`, {
        method: "POST",
        cookie: ada.cookie(),
        headers: { ...sibling, "secure-session-response": await eve.prove(challenge) },
      });
    assert.equal((await byEve("start", ada.offered!)).status, 403);
    assert.equal((await ada.register()).status, 200);
    for (let round = 0; round < 70; round++) {
      assert.equal((await byEve("refresh", "abc")).status, 403);
    }
    assert.deepEqual(told.filter(({ type }) => type === "device-proof-refused"), []);
    assert.equal((await ada.refresh()).status, 200);
  },
);

testOver(
  "cookies that a sibling host has planted open nothing, and close nothing for good",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    await ada.register();
    const planted = "p".repeat(43);
    assert.equal(await seen(application, `${SHORT}=${planted}; ${ada.cookie()}`), "ada true");
    assert.equal(
      await seen(application, `${LONG}=${ada.jar.get(LONG)}; ${SHORT}=${planted}; ${SHORT}=q`),
      "undefined undefined",
    );
    const jar = new Map(ada.jar);
    ada.jar.set(LONG, `${ada.jar.get(LONG)}; ${LONG}=${planted}`);
    assert.equal((await ada.ask("refresh")).status, 503);
    for (const [name, value] of jar) ada.jar.set(name, value);
    assert.equal((await ada.refresh()).status, 200);
  },
);

testOver(
  "both cookies have the prefix that keeps sibling hosts away, where the session's has it",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    const { credentials } = await (await ada.register()).json();
    assert.equal(credentials[0].name, `__Host-${SHORT}`);
    assert.deepEqual(
      [...ada.jar.keys()].filter((name) => name.includes("session")).sort(),
      [`__Host-${LONG}`, `__Host-${SHORT}`],
    );
    assert.equal(await seen(application, ada.cookie()), "ada true");
    // Without the prefix neither counts.
    const planted = ada.cookie().replaceAll("__Host-", "");
    assert.equal(await seen(application, planted), "undefined undefined");
  },
  { options: { cookies: { sessionToken: { hostOnly: true } } } },
);

Deno.test("who is bound under a name of before signs in again, and is not told to wait", async () => {
  const session = { deviceBound: deviceBound({ sendMail() {} }) };
  const database = openSqlite();
  const pages = { signIn: "/login" };
  const before = createTestApplication({ database, session, pages });
  const ada = await createDevice(before);
  await ada.signIn();
  await ada.register();
  const since = new Date(before.clock.now + 30_000);
  const sessionToken = { hostOnly: true, hostOnlySince: since };
  const after = createTestApplication({ database, session, pages, cookies: { sessionToken } });
  after.clock.now = before.clock.now + 60_000;
  assert.equal(await seen(after, ada.cookie()), "ada true");
  after.clock.now += 600_000;
  const answer = await visit(after, () => new Response(requireAuth().name), {
    cookie: ada.cookie(),
  });
  assert.equal(answer.status, 303);
  assert.match(answer.headers.get("location")!, /\/login/);
  before.close();
  after.close();
});
