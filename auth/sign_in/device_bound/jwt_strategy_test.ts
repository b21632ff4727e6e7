// Bound sessions of signed tokens.
import assert from "node:assert/strict";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import type { AuthOptions } from "../../app/options.ts";
import { getSession, getUser } from "../../session/operations.ts";
import { endSessions } from "../../session/user_sessions.ts";
import { disableUser, updateUser } from "../../session/users.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { createMemoryRevocationStore } from "../../storage/revocations.ts";
import { createTestApplication, type TestApplication, visit } from "../../tests/application.ts";
import { createDevice } from "../../tests/device.ts";
import type { RevocationStore } from "../../types/session.ts";
import { deviceBound, deviceBoundJwt } from "./provider.ts";

const LONG = "framework.session-token";
const SHORT = `${LONG}-device`;
const GRACE = 10_000;
const SECRETS = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"] as const;

interface Parts {
  database: NonNullable<AuthOptions["database"]>;
  revocation: RevocationStore;
}

function createParts(): Parts {
  return { database: createMemoryStorage(), revocation: createMemoryRevocationStore(() => 0) };
}

function createApplication(
  { database, revocation }: Parts = createParts(),
  options: Partial<AuthOptions> = {},
): TestApplication {
  return createTestApplication({
    database,
    secret: SECRETS[0],
    ...options,
    session: {
      strategy: jwtSessions,
      revocation,
      ...options.session,
      deviceBound: deviceBoundJwt({ sendMail: () => {} }),
    },
  });
}

async function seen(application: TestApplication, cookie: string): Promise<string> {
  const page = () => new Response(`${getUser()?.name} ${getSession()?.bound}`);
  return await (await visit(application, page, { cookie })).text();
}

/** Does something in a request of the application's own. */
async function within({ auth }: TestApplication, work: () => Promise<unknown>): Promise<void> {
  const request = new Request("https://app.example/");
  const response = await auth.run(request, {}, undefined, async () => {
    await work();
    return new Response();
  });
  assert.equal(response.status, 200);
}

const NOBODY = "undefined undefined";

Deno.test("a registration ends the token from before, which takes no cookie away", async () => {
  const application = createApplication(undefined, { session: { bearer: true } });
  const { clock, auth } = application;
  const ada = await createDevice(application);
  await ada.signIn();
  const before = ada.jar.get(LONG)!;
  await ada.register();
  assert.notEqual(ada.jar.get(LONG), before);
  assert.equal(await seen(application, `${LONG}=${before}`), "ada false");
  clock.now += GRACE + 1;
  const late = await visit(application, () => Response.json(getUser()), {
    cookie: `${LONG}=${before}`,
  });
  assert.equal(await late.json(), null);
  assert.deepEqual(late.headers.getSetCookie(), []);
  // None of the three is a token for a header.
  for (const token of [before, ada.jar.get(LONG)!, ada.jar.get(SHORT)!]) {
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request("https://app.example/page", { headers });
    const response = await auth.run(request, {}, undefined, () => Response.json(getUser()));
    assert.equal(await response.json(), null);
  }
  application.close();
});

Deno.test("each of the two cookies opens nothing in the place of the other, nor of another session", async () => {
  const application = createApplication();
  const [ada, eve] = [await createDevice(application), await createDevice(application)];
  for (const [device, name] of [[ada, "ada"], [eve, "eve"]] as const) {
    await device.signIn(name);
    await device.register();
  }
  application.clock.now += GRACE + 1;
  const [long, short] = [ada.jar.get(LONG)!, ada.jar.get(SHORT)!];
  for (
    const cookie of [
      `${LONG}=${long}`,
      `${SHORT}=${short}`,
      `${LONG}=${short}`,
      `${LONG}=${short}; ${SHORT}=${long}`,
      `${LONG}=${short}; ${SHORT}=${short}`,
      `${LONG}=${long}; ${SHORT}=${long}`,
      `${LONG}=${long.slice(long.indexOf(".") + 1)}; ${SHORT}=${short}`,
      // Whoever plants a short cookie signs nobody in as somebody else.
      `${LONG}=${long}; ${SHORT}=${eve.jar.get(SHORT)}`,
    ]
  ) {
    assert.equal(await seen(application, cookie), NOBODY, cookie);
  }
  for (const cookies of [ada.cookie(), `${SHORT}=${eve.jar.get(SHORT)}; ${ada.cookie()}`]) {
    assert.equal(await seen(application, cookies), "ada true");
  }
  application.close();
});

Deno.test("a refresh reads the user again, and refuses one who is disabled", async () => {
  const parts = createParts();
  const application = createApplication(parts);
  const { clock } = application;
  const ada = await createDevice(application);
  await ada.signIn();
  await ada.register();
  await within(application, () => updateUser("ada", { name: "Ada L." }));
  assert.equal(await seen(application, ada.cookie()), "ada true");
  clock.now += 1;
  assert.equal((await ada.refresh()).status, 200);
  assert.equal(await seen(application, ada.cookie()), "Ada L. true");
  await within(application, () => disableUser("ada"));
  assert.equal((await ada.refresh()).status, 400);
  assert.equal(await seen(application, ada.cookie()), NOBODY);
  application.close();
});

Deno.test("all sessions of a user end with those that are bound, and with their long cookies", async () => {
  const application = createApplication();
  const ada = await createDevice(application);
  await ada.signIn();
  const before = ada.jar.get(LONG)!;
  await ada.register();
  await within(application, () => endSessions("ada"));
  assert.equal(await seen(application, ada.cookie()), NOBODY);
  assert.equal(await seen(application, `${LONG}=${before}`), NOBODY);
  assert.equal((await ada.refresh()).status, 400);
  application.close();
});

Deno.test("a new secret signs from then on, and the one before still counts", async () => {
  const parts = createParts();
  const before = createApplication(parts);
  const ada = await createDevice(before);
  await ada.signIn();
  const after = createApplication(parts, { secret: [SECRETS[1], SECRETS[0]] });
  const moved = { ...ada, send: after.send };
  // The browser answers the challenge of before at a server that has the new secret.
  const proof = await moved.prove(ada.offered!);
  const response = await after.send("/device/start", {
    method: "POST",
    cookie: ada.cookie(),
    headers: { "secure-session-response": proof },
  });
  assert.equal(response.status, 200);
  before.close();
  after.close();
});

Deno.test("of many registrations at once one counts, and the third wrong proof at once is one", async () => {
  const application = createApplication();
  const ada = await createDevice(application);
  await ada.signIn();
  const cookie = ada.cookie();
  const others = await Promise.all(Array.from({ length: 8 }, () => createDevice(application)));
  const answers = await Promise.all(others.map(async (other) => {
    other.jar.set(LONG, ada.jar.get(LONG)!);
    return (await other.ask("start", await other.prove(ada.offered!))).status;
  }));
  assert.deepEqual(answers.sort(), [200, 400, 400, 400, 400, 400, 400, 400]);
  application.clock.now += GRACE + 1;
  assert.equal(await seen(application, cookie), NOBODY);

  await ada.signIn();
  await ada.register();
  const thieves = await Promise.all(others.map(() => createDevice(application)));
  const forged = await Promise.all(thieves.map(async (other) => {
    for (const [name, value] of ada.jar) other.jar.set(name, value);
    return (await other.ask("refresh", await other.prove(await other.challenge()))).status;
  }));
  assert.deepEqual(new Set(forged), new Set([400]));
  assert.equal(await seen(application, ada.cookie()), NOBODY);
  application.close();
});

Deno.test("each strategy has its own, and the store must be able to claim", () => {
  const sendMail = () => {};
  const secret = SECRETS[0];
  const database = createMemoryStorage();
  const { claim: _claim, ...without } = createMemoryRevocationStore();
  for (
    const session of [
      { strategy: jwtSessions, deviceBound: deviceBoundJwt({ sendMail }) },
      { strategy: jwtSessions, revocation: without, deviceBound: deviceBoundJwt({ sendMail }) },
      { strategy: jwtSessions, deviceBound: deviceBound({ sendMail }) },
      { deviceBound: deviceBoundJwt({ sendMail }) },
    ]
  ) {
    assert.throws(() => createTestApplication({ secret, database, session }), {
      code: "CONFIGURATION",
      field: /^session\./,
    });
  }
});
