import assert from "node:assert/strict";
import { ORIGIN } from "../../tests/application.ts";
import { createDevice } from "../../tests/device.ts";
import { LONG, seen, testOver } from "../../tests/device_application.ts";
import { credentials } from "../credentials.ts";

testOver(
  "the newest two short cookies count: refreshes ahead of time and twice in a row",
  async (application) => {
    const { ada, clock, isJwt } = application;
    await ada.signIn();
    await ada.register();
    const first = ada.cookie();
    clock.now += 1000;
    assert.equal((await ada.refresh()).status, 200);
    const second = ada.cookie();
    assert.equal(await seen(application, first), "ada true");
    clock.now += 1000;
    assert.equal((await ada.refresh()).status, 200);
    // A signed token counts until its end.
    assert.equal(
      await seen(application, first),
      isJwt ? "ada true" : "undefined undefined",
    );
    assert.equal(await seen(application, second), "ada true");
    assert.equal(await seen(application, ada.cookie()), "ada true");

    // Two challenges at the same moment, and their answers in the other order: the older one is asked again.
    const one = await ada.challenge();
    clock.now += 1;
    const two = await ada.challenge();
    assert.equal((await ada.ask("refresh", await ada.prove(two))).status, 200);
    const again = await ada.ask("refresh", await ada.prove(one));
    assert.equal(again.status, 403);
    clock.now += 1;
    assert.equal((await ada.ask("refresh", await ada.prove(await ada.challenge()))).status, 200);
    assert.deepEqual(application.told.filter(({ type }) => type === "device-proof-refused"), []);
  },
);

testOver("a proof counts once, and not after two minutes", async (application) => {
  const { ada, clock } = application;
  await ada.signIn();
  await ada.register();
  const proof = await ada.prove(await ada.challenge());
  assert.equal((await ada.ask("refresh", proof)).status, 200);
  assert.equal((await ada.ask("refresh", proof)).status, 403);
  clock.now += 1;
  const old = await ada.prove(await ada.challenge());
  clock.now += 120_001;
  assert.equal((await ada.ask("refresh", old)).status, 403);
  assert.equal((await ada.refresh()).status, 200);
});

testOver("the third wrong proof ends the session and tells its owner", async (application) => {
  const { ada, mails, told, settle, auth } = application;
  await ada.signIn();
  await ada.register();
  const { user } = await (await application.send("/session", { cookie: ada.cookie() })).json();
  const thief = await createDevice(application);
  thief.jar.set(LONG, ada.jar.get(LONG)!);
  for (const ended of [false, false, true]) {
    assert.equal((await thief.refresh()).status, 400);
    await settle();
    assert.equal(told.at(-1)!.type, "device-proof-refused");
    assert.equal((told.at(-1) as { ended?: boolean }).ended, ended);
  }
  assert.equal(await seen(application, ada.cookie()), "undefined undefined");
  assert.equal(await seen(application, `${LONG}=${ada.jar.get(LONG)}`), "undefined undefined");
  // Without an address there is nobody to tell.
  assert.equal((await auth.storage({}).getUser(user.id))?.email ?? null, null);
  assert.equal(mails.length, 0);
  // What comes for a session that is gone looks the same.
  assert.equal((await thief.ask("refresh")).status, 403);
  assert.equal((await thief.refresh()).status, 400);
});

for (const isProved of [true, false]) {
  testOver(
    `a wrong proof too many ${
      isProved ? "is told by mail" : "is told to no address that nobody has proved"
    }`,
    async (application) => {
      const { ada, mails, settle } = application;
      await ada.signIn();
      await ada.register();
      const thief = await createDevice(application);
      thief.jar.set(LONG, ada.jar.get(LONG)!);
      for (let count = 0; count < 3; count++) await thief.refresh();
      for (let turn = 0; turn < 9; turn++) await settle();
      assert.deepEqual(
        mails.map(({ kind, to, url, expires }) => ({ kind, to, url, expires })),
        isProved
          ? [{
            kind: "device-proof",
            to: "ada@example.com",
            url: `${ORIGIN}/auth/signin`,
            expires: null,
          }]
          : [],
      );
      // Whoever knows the password as well cannot fill the mailbox.
      for (let round = 0; round < 5; round++) {
        await ada.signIn();
        await ada.register();
        thief.jar.set(LONG, ada.jar.get(LONG)!);
        for (let count = 0; count < 3; count++) await thief.refresh();
        for (let turn = 0; turn < 9; turn++) await settle();
      }
      assert.equal(mails.length, isProved ? 3 : 0);
    },
    {
      options: {
        providers: [
          credentials({
            credentials: { name: { label: "Name", type: "text" } },
            authorize: ({ name }) =>
              Promise.resolve({
                id: name!,
                name: name!,
                email: `${name}@example.com`,
                emailVerified: isProved ? new Date(0) : null,
              }),
          }),
        ],
      },
    },
  );
}

testOver(
  "an hour without the service signs nobody out, and the session ends at its own end",
  async (application) => {
    const { ada, clock } = application;
    await ada.signIn();
    await ada.register();
    clock.now += 3_600_000;
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
    // A copy of the long cookie moves no end, and a bound session moves its own.
    clock.now += 2_000_000_000;
    await seen(application, `${LONG}=${ada.jar.get(LONG)}`);
    clock.now += 600_000_000;
    assert.equal((await ada.refresh()).status, 400);
  },
);

testOver("a bound session in use goes on", async (application) => {
  const { ada, clock } = application;
  await ada.signIn();
  await ada.register();
  for (let day = 0; day < 40; day++) {
    clock.now += 86_400_001;
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
  }
});

testOver(
  "a challenge of a server whose clock is ahead counts on one whose clock is not",
  async (application) => {
    const { ada, clock } = application;
    await ada.signIn();
    await ada.register();
    clock.now += 300_000;
    assert.equal((await ada.refresh()).status, 200);
    clock.now -= 300_000;
    assert.equal((await ada.refresh()).status, 200);
  },
);
