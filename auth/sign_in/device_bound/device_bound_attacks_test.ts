// Attacks on device-bound sessions, by requests, on both strategies.
import assert from "node:assert/strict";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { getSession, getUser } from "../../session/operations.ts";
import { passwordChanged } from "../../session/users.ts";
import { createMemoryRevocationStore } from "../../storage/revocations.ts";
import { createTestApplication, ORIGIN, type TestApplication } from "../../tests/application.ts";
import { createDevice, type Device } from "../../tests/device.ts";
import { deviceBound, deviceBoundJwt } from "./provider.ts";

const LONG = "framework.session-token";
const SHORT = `${LONG}-device`;
const NOBODY = "undefined undefined";

interface Attacked extends TestApplication {
  ada: Device;
  eve: Device;
  isJwt: boolean;
  /** Says as whom the application sees a request. */
  seen(cookie: string, headers?: Record<string, string>): Promise<string>;
}

/** Runs a test with two bound sessions, ada's and eve's, ten seconds after the registrations. */
function test(claim: string, attack: (application: Attacked) => Promise<void>): void {
  for (const strategy of ["database", "jwt"] as const) {
    Deno.test(`${claim} (${strategy})`, async () => {
      const isJwt = strategy === "jwt";
      const sendMail = () => {};
      const application = createTestApplication({
        secret: "0123456789abcdef0123456789abcdef",
        session: isJwt
          ? {
            strategy: jwtSessions,
            revocation: createMemoryRevocationStore(() => 0),
            deviceBound: deviceBoundJwt({ sendMail }),
            bearer: true,
          }
          : { deviceBound: deviceBound({ sendMail }), bearer: true },
      });
      const [ada, eve] = [await createDevice(application), await createDevice(application)];
      for (const [device, name] of [[ada, "ada"], [eve, "eve"]] as const) {
        await device.signIn(name);
        assert.equal((await device.register()).status, 200);
      }
      application.clock.now += 10_001;
      async function seen(cookie: string, headers: Record<string, string> = {}): Promise<string> {
        const request = new Request(`${ORIGIN}/page`, { headers: { cookie, ...headers } });
        const page = () => new Response(`${getUser()?.name} ${getSession()?.bound}`);
        return await (await application.auth.run(request, {}, undefined, page)).text();
      }
      try {
        await attack({ ...application, ada, eve, isJwt, seen });
      } finally {
        application.close();
      }
    });
  }
}

const pair = (device: Device, name: string) => `${name}=${device.jar.get(name)}`;

// Tracks: R180
test(
  "somebody's own short cookie beside the long one of another opens neither session",
  async ({ ada, eve, seen }) => {
    for (
      const cookie of [
        // A thief with the long cookie and a device of their own; and a sibling host that plants theirs.
        `${pair(ada, LONG)}; ${pair(eve, SHORT)}`,
        `${pair(eve, SHORT)}; ${pair(ada, LONG)}`,
        `${pair(ada, LONG)}; ${pair(eve, LONG)}; ${pair(ada, SHORT)}`,
        pair(ada, SHORT),
        `${pair(ada, LONG)}; ${SHORT}=`,
        `${pair(ada, LONG)}~${ada.jar.get(SHORT)}`,
        `${pair(ada, LONG)}~${ada.jar.get(SHORT)}; ${SHORT}=x`,
        `${pair(ada, LONG)}; ${SHORT}.0=${ada.jar.get(SHORT)}`,
      ]
    ) {
      assert.equal(await seen(cookie), NOBODY, cookie);
    }
    // Beside the device's own a planted one takes nothing away.
    assert.equal(await seen(`${ada.cookie()}; ${pair(eve, SHORT)}`), "ada true");
    assert.equal(await seen(`${ada.cookie()}; ${pair(ada, SHORT)}`), "ada true");
    assert.equal(await seen(eve.cookie()), "eve true");
  },
);

// Tracks: R180
test("no cookie of a bound session is a token for a header", async ({ ada, seen }) => {
  const [long, short] = [ada.jar.get(LONG)!, ada.jar.get(SHORT)!];
  for (const token of [long, short, `${long}~${short}`, `${short}~${long}`, `~${long}`]) {
    for (const cookie of ["", ada.cookie(), pair(ada, LONG)]) {
      const as = await seen(cookie, { authorization: `Bearer ${token}` });
      assert.equal(as, NOBODY, `${cookie} ${token}`);
    }
  }
  // Of many headers that claim the proof none is asked.
  const claims = {
    "secure-session-skipped": 'quota_exceeded;session_identifier="x"',
    "sec-secure-session-id": ada.id!,
    "x-forwarded-authorization": `Bearer ${long}`,
  };
  assert.equal(await seen(pair(ada, LONG), claims), NOBODY);
});

// Tracks: R180
test(
  "a challenge answers for its own session alone, once",
  async ({ ada, eve, clock, seen }) => {
    const [own, other] = [await ada.challenge(), await eve.challenge()];
    assert.equal((await ada.ask("refresh", await ada.prove(other))).status, 400);
    assert.equal((await ada.ask("refresh", await ada.prove(own))).status, 200);
    // Again; and of a moment before, which its own device has asked for.
    assert.equal((await ada.ask("refresh", await ada.prove(own))).status, 403);
    clock.now += 1;
    const late = await ada.prove(await ada.challenge());
    clock.now += 120_001;
    assert.equal((await ada.ask("refresh", late)).status, 403);
    assert.equal(await seen(ada.cookie()), "ada true");
  },
);

// Tracks: R181
test(
  "a sign-out ends both cookies of a session, wherever it is asked for from",
  async ({ ada, eve, send, seen }) => {
    const before = ada.cookie();
    // Without the short cookie too, as in a browser that has lost its device's key.
    const out = await send("/signout", { cookie: pair(ada, LONG), fields: {} });
    assert.equal(out.status, 303);
    assert.equal(await seen(before), NOBODY);
    assert.equal((await ada.refresh()).status, 400);
    const both = await send("/signout", { cookie: eve.cookie(), fields: {} });
    const gone = both.headers.getSetCookie().map((line) => line.split("=", 1)[0]);
    assert.ok(gone.includes(LONG) && gone.includes(SHORT));
    assert.equal(await seen(eve.cookie()), NOBODY);
    assert.equal((await eve.refresh()).status, 400);
  },
);

// Tracks: R181
test(
  "a refresh that races with a sign-out brings nobody back",
  async ({ ada, eve, send, seen }) => {
    const proofs = await Promise.all(
      Array.from({ length: 4 }, async () => await ada.prove(await ada.challenge())),
    );
    const cookie = ada.cookie();
    await Promise.all([
      ...proofs.slice(0, 2).map((proof) => ada.ask("refresh", proof)),
      send("/signout", { cookie, fields: {} }),
      ...proofs.slice(2).map((proof) => ada.ask("refresh", proof)),
    ]);
    assert.equal(await seen(cookie), NOBODY);
    assert.equal(await seen(ada.cookie()), NOBODY);
    assert.equal((await ada.refresh()).status, 400);
    assert.equal(await seen(eve.cookie()), "eve true");
  },
);

// Tracks: R181
test(
  "a new password ends the bound sessions of its user with their keys",
  async ({ ada, eve, auth, clock, seen }) => {
    const request = new Request(ORIGIN);
    await auth.run(request, {}, undefined, async () => {
      await passwordChanged("ada");
      return new Response();
    });
    clock.now += 1;
    assert.equal(await seen(ada.cookie()), NOBODY);
    assert.equal((await ada.refresh()).status, 400);
    assert.equal(await seen(eve.cookie()), "eve true");
  },
);

// Tracks: R180
test("of many third wrong proofs at once one ends the session", async (application) => {
  const { ada, eve, seen } = application;
  const wrong = await Promise.all(Array.from({ length: 6 }, async () => {
    const challenge = await ada.challenge();
    return (await ada.ask("refresh", await eve.prove(challenge))).status;
  }));
  assert.deepEqual(new Set(wrong), new Set([400]));
  assert.equal(await seen(ada.cookie()), NOBODY);
  assert.equal((await ada.refresh()).status, 400);
});

// Tracks: R180
test("a session that is bound stays one in the list of its owner", async (application) => {
  const { ada, send, isJwt } = application;
  if (isJwt) return;
  const list = await (await send("/sessions", { cookie: ada.cookie() })).json();
  assert.equal(list.length, 1);
  assert.equal(list[0].current, true);
  assert.equal((await send("/sessions", { cookie: pair(ada, LONG) })).status, 401);
});

// Tracks: R180
test(
  "fields of the protocol are read in every spelling of a structured field, and in no other",
  async ({ ada, clock }) => {
    const spellings: [(proof: string) => string, number][] = [
      [(proof) => proof, 200],
      [(proof) => `"${proof}"`, 200],
      [(proof) => `"${proof}";a=1;b="x"`, 200],
      [(proof) => `${proof};a`, 400],
      [(proof) => `"${proof}`, 400],
      [(proof) => `${proof}"`, 400],
      [(proof) => `"${proof}", "${proof}"`, 400],
      [(proof) => `("${proof}")`, 400],
      [(proof) => `:${proof}:`, 400],
      [(proof) => `"\\${proof}"`, 400],
    ];
    for (const [spell, status] of spellings) {
      clock.now += 1;
      const proof = await ada.prove(await ada.challenge());
      assert.equal((await ada.ask("refresh", spell(proof))).status, status, spell("…"));
      // Three wrong ones would end it.
      if (status === 400) {
        await ada.signIn();
        await ada.register();
      }
    }
    for (const spelling of [`"${ada.id}"`, `"${ada.id}";v=1`, `${ada.id}`]) {
      const id = ada.id;
      ada.id = spelling;
      assert.equal((await ada.ask("refresh")).status, 403);
      ada.id = id;
    }
  },
);
