import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { accountPage } from "../../account/page.ts";
import type { AuthOptions } from "../../app/options.ts";
import { UnauthenticatedError } from "../../errors.ts";
import { getSession, getUser, requireAuth, requireRecentAuth } from "../../session/operations.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import {
  createMemoryRevocationStore,
  createSqlRevocationStore,
} from "../../storage/revocations.ts";
import type { SqlDatabase } from "../../storage/sql_database.ts";
import { sqlite } from "../../storage/sqlite.ts";
import { authSchema } from "../../storage/schema.ts";
import {
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
  visit,
} from "../../tests/application.ts";
import {
  challengeIn,
  createDevice,
  type Device,
  encodePart,
  type ProofParts,
} from "../../tests/device.ts";
import type { AuthEvent } from "../../types/events.ts";
import { credentials } from "../credentials.ts";
import {
  deviceBound,
  type DeviceBoundConfig,
  deviceBoundJwt,
  type DeviceProofMail,
} from "./provider.ts";

const LONG = "framework.session-token";
const SHORT = `${LONG}-device`;
const GRACE = 10_000;

interface DeviceApplication extends TestApplication {
  mails: DeviceProofMail[];
  told: AuthEvent[];
  ada: Device;
  settle(): Promise<void>;
  isJwt: boolean;
}

/** The options of the strategy and the storage; without a database there is D1. */
type Place = (now: () => number) => Pick<AuthOptions, "database" | "session" | "secret">;

function openSqlite(): SqlDatabase {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  return sqlite(file);
}

const SECRET = "0123456789abcdef0123456789abcdef";

const PLACES: Record<string, Place> = {
  "D1": () => ({}),
  "SQLite": () => ({ database: openSqlite() }),
  "memory": () => ({ database: createMemoryStorage() }),
  "jwt, SQLite": () => {
    const database = openSqlite();
    const revocation = createSqlRevocationStore(database);
    return { database, secret: SECRET, session: { strategy: jwtSessions, revocation } };
  },
  "jwt, memory": (now) => ({
    database: createMemoryStorage(),
    secret: SECRET,
    session: { strategy: jwtSessions, revocation: createMemoryRevocationStore(now) },
  }),
};

/** Runs a test with a browser that has a device, over each storage. */
function testOver(
  claim: string,
  test: (application: DeviceApplication) => Promise<void>,
  { config = {}, options = {}, only = "" }: {
    config?: Partial<DeviceBoundConfig>;
    options?: Partial<AuthOptions>;
    only?: "database" | "jwt" | "";
  } = {},
): void {
  for (const [name, open] of Object.entries(PLACES)) {
    const isJwt = name.startsWith("jwt");
    if (only !== "" && isJwt !== (only === "jwt")) continue;
    Deno.test(`${claim} (${name})`, async () => {
      const mails: DeviceProofMail[] = [];
      const told: AuthEvent[] = [];
      const place = open(() => application.clock.now);
      const bind = isJwt ? deviceBoundJwt : deviceBound;
      const application = createTestApplication({
        providers: [passwordProvider(), accountPage()],
        events: { "*": (event) => void told.push(event) },
        ...options,
        ...place,
        session: {
          ...options.session,
          ...place.session,
          deviceBound: bind({ sendMail: (mail) => void mails.push(mail), ...config }),
        },
      });
      const ada = await createDevice(application);
      const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
      try {
        await test({ ...application, mails, told, ada, settle, isJwt });
      } finally {
        application.close();
      }
    });
  }
}

/** Name of the user whom the application sees. */
async function seen(application: TestApplication, cookie: string): Promise<string> {
  const page = () => new Response(`${getUser()?.name} ${getSession()?.bound}`);
  return await (await visit(application, page, { cookie })).text();
}

testOver(
  "deviceBound() binds a session once, and the long cookie alone opens nothing",
  async (application) => {
    const { ada, clock } = application;
    const signedIn = await ada.signIn();
    assert.match(
      signedIn.headers.get("secure-session-registration")!,
      /^\(ES256\);path="\/auth\/device\/start";challenge="\d+\.[\w-]{43}"$/,
    );
    assert.equal(await seen(application, ada.cookie()), "ada false");
    const response = await ada.register();
    assert.equal(response.status, 200);
    const { session_identifier: id, ...answer } = await response.json();
    assert.match(id, /^[\w-]{22}$/);
    assert.deepEqual(answer, {
      refresh_url: "/auth/device/refresh",
      scope: { include_site: false, scope_specification: [] },
      credentials: [{
        type: "cookie",
        name: SHORT,
        attributes: "Path=/; HttpOnly; Secure; SameSite=Lax",
      }],
    });
    assert.equal(await seen(application, ada.cookie()), "ada true");
    clock.now += GRACE + 1;
    assert.equal(await seen(application, `${LONG}=${ada.jar.get(LONG)}`), "undefined undefined");
    assert.equal(
      await seen(application, `${LONG}=${ada.jar.get(LONG)}; ${SHORT}=${"a".repeat(43)}`),
      "undefined undefined",
    );

    // A session with a key never takes another one.
    const thief = await createDevice(application);
    thief.jar.set(LONG, ada.jar.get(LONG)!);
    thief.offered = ada.offered;
    assert.equal((await thief.register()).status, 400);
    assert.equal(await seen(application, ada.cookie()), "ada true");

    clock.now += 600_001;
    assert.equal(await seen(application, ada.cookie()), "undefined undefined");
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
  },
);

testOver(
  "a key is taken only within two minutes of the sign-in, and with the challenge of its own answer",
  async (application) => {
    const { ada, clock } = application;
    await ada.signIn();
    clock.now += 120_001;
    assert.equal((await ada.register()).status, 400);
    assert.equal(await seen(application, ada.cookie()), "ada false");

    // Another session's challenge; one that was never made; and nothing.
    await ada.signIn();
    const other = await createDevice(application);
    await other.signIn("eve");
    assert.equal((await ada.ask("start", await ada.prove(other.offered!))).status, 400);
    assert.equal(
      (await ada.ask("start", await ada.prove(`${clock.now}.${"a".repeat(43)}`))).status,
      400,
    );
    assert.equal((await ada.ask("start")).status, 400);
    assert.equal(await seen(application, ada.cookie()), "ada false");
    // Two of them were wrong proofs, and the right one still counts.
    assert.equal((await ada.register()).status, 200);
  },
);

testOver(
  "what was sent before the registration was answered counts for ten seconds, and only to read",
  async (application) => {
    const { ada, clock, auth } = application;
    await ada.signIn();
    const alone = `${LONG}=${ada.jar.get(LONG)}`;
    await ada.register();
    const ten = await Promise.all(Array.from({ length: 10 }, () => seen(application, alone)));
    assert.deepEqual(new Set(ten), new Set(["ada false"]));
    // It proves no device, writes nothing, is no bearer token, and counts beside no wrong short cookie.
    const recent = () => Response.json(requireRecentAuth({ deviceBound: true }));
    assert.equal((await visit(application, recent, { cookie: alone })).status, 401);
    const unsafe = { cookie: alone, method: "POST" };
    assert.equal((await visit(application, () => new Response(), unsafe)).status, 401);
    const planted = `${alone}; ${SHORT}=${"a".repeat(43)}`;
    assert.equal(await seen(application, planted), "undefined undefined");
    const headers = { authorization: `Bearer ${ada.jar.get(LONG)}` };
    const response = await auth.run(
      new Request(`${ORIGIN}/page`, { headers }),
      {},
      undefined,
      () => new Response(String(getUser())),
    );
    assert.equal(await response.text(), "null");
    clock.now += GRACE;
    assert.equal(await seen(application, alone), "undefined undefined");
    assert.equal(await seen(application, ada.cookie()), "ada true");

    // The first refresh ends it too.
    await ada.signIn();
    await ada.register();
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, `${LONG}=${ada.jar.get(LONG)}`), "undefined undefined");
  },
  { options: { session: { bearer: true } } },
);

testOver(
  "those who must have a bound session get no ten seconds without",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    const alone = `${LONG}=${ada.jar.get(LONG)}`;
    await ada.register();
    assert.equal(await seen(application, alone), "undefined undefined");
    assert.equal(await seen(application, ada.cookie()), "ada true");
  },
  { config: { required: () => true } },
);

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

testOver(
  "a key of a sign-in before is refused without a word of a wrong proof",
  async (application) => {
    const { ada, told } = application;
    for (let round = 0; round < 5; round++) {
      await ada.signIn();
      await ada.register();
    }
    const { id } = ada;
    // Of another session, and of none.
    for (const other of ["a".repeat(22), "s1"]) {
      ada.id = other;
      for (let round = 0; round < 4; round++) {
        assert.equal((await ada.ask("refresh")).status, 400);
        assert.equal((await ada.ask("refresh", await ada.prove("1.a"))).status, 400);
      }
    }
    assert.deepEqual(told.filter(({ type }) => type === "device-proof-refused"), []);
    ada.id = id;
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");

    // A cookie that a sibling host has planted beside it takes the key from nobody: the browser tries again later.
    const headers = { "sec-secure-session-id": id! };
    const cookie = `${ada.cookie()}; ${LONG}=${"a".repeat(43)}`;
    const planted = await application.send("/device/refresh", { method: "POST", cookie, headers });
    assert.equal(planted.status, 503);
  },
);

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

testOver("refuses what is no ES256 signature of the device", async (application) => {
  const { ada } = application;
  const eve = await createDevice(application);
  const forgeries: Record<string, (challenge: string) => Promise<string>> = {
    "foreign key": (challenge) => eve.prove(challenge),
    "alg none": (challenge) => {
      const header = encodePart({ typ: "dbsc+jwt", alg: "none", jwk: ada.jwk });
      return Promise.resolve(`${header}.${encodePart({ jti: challenge })}.${"A".repeat(86)}`);
    },
    "no signature": (challenge) => {
      const header = encodePart({ typ: "dbsc+jwt", alg: "none" });
      return Promise.resolve(`${header}.${encodePart({ jti: challenge })}.`);
    },
    "HS256 with the public key": async (challenge) => {
      const text = `${encodePart({ typ: "dbsc+jwt", alg: "HS256", jwk: ada.jwk })}.${
        encodePart({ jti: challenge })
      }`;
      const raw = new TextEncoder().encode(JSON.stringify(ada.jwk));
      const hmac = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["sign"]);
      const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
      const signature = btoa(String.fromCharCode(...new Uint8Array(mac)))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
      return `${text}.${signature}`;
    },
    "another algorithm in the header": (challenge) =>
      ada.prove(challenge, ({ header }: ProofParts) => header.alg = "RS256"),
    "another type": (challenge) =>
      ada.prove(challenge, ({ header }: ProofParts) => header.typ = "JWT"),
    "a critical extension": (challenge) =>
      ada.prove(challenge, ({ header }: ProofParts) => header.crit = ["b64"]),
    "no challenge": (challenge) =>
      ada.prove(challenge, ({ payload }: ProofParts) => delete payload.jti),
    "a challenge for a registration": () => ada.prove(ada.offered!),
    "too long": (challenge) =>
      ada.prove(challenge, ({ payload }: ProofParts) => payload.more = "a".repeat(5000)),
    "twice": async (challenge) => {
      const proof = await ada.prove(challenge);
      return `${proof}, ${proof}`;
    },
    "a changed payload": async (challenge) => {
      const [head, , signature] = (await ada.prove(challenge)).split(".");
      return `${head}.${encodePart({ jti: challenge, more: 1 })}.${signature}`;
    },
    "zeros": async (challenge) =>
      (await ada.prove(challenge)).replace(/[\w-]{86}$/, "A".repeat(86)),
    "nothing": () => Promise.resolve("x"),
  };
  for (const [name, forge] of Object.entries(forgeries)) {
    await ada.signIn();
    await ada.register();
    const before = ada.cookie();
    const proof = await forge(await ada.challenge());
    const response = await ada.ask("refresh", proof);
    assert.equal(response.status, 400, name);
    assert.equal(ada.cookie(), before, name);
  }
});

testOver("a registration takes the key of its own signature on the curve", async (application) => {
  const { ada } = application;
  const eve = await createDevice(application);
  for (
    const jwk of [
      undefined,
      eve.jwk,
      { ...ada.jwk, crv: "P-384" },
      { ...ada.jwk, kty: "RSA" },
      { ...ada.jwk, x: "A".repeat(43), y: "A".repeat(43) },
      { ...ada.jwk, x: 1 },
    ]
  ) {
    await ada.signIn();
    const proof = await ada.prove(ada.offered!, ({ header }) => header.jwk = jwk);
    assert.equal((await ada.ask("start", proof)).status, 400);
    assert.equal(await seen(application, ada.cookie()), "ada false");
  }
});

testOver(
  "without the proof a page tries again, and an unsafe request is refused before it is read",
  async (application) => {
    const { ada, clock } = application;
    await ada.signIn();
    await ada.register();
    clock.now += 600_001;
    const cookie = ada.cookie();
    const page = await visit(application, () => Response.json(requireAuth()), { cookie });
    assert.equal(page.status, 401);
    assert.equal(page.headers.get("refresh"), "3");
    assert.match(await page.text(), /Checking this device/);
    // A visitor's page is a visitor's.
    assert.equal(await seen(application, cookie), "undefined undefined");
    const forced = () => {
      throw new UnauthenticatedError();
    };
    assert.match(
      await (await visit(application, forced, { cookie })).text(),
      /Checking this device/,
    );
    const plain = () => new Response(null, { status: 401 });
    assert.match(
      await (await visit(application, plain, { cookie })).text(),
      /Checking this device/,
    );
    const account = await application.send("/account", {
      cookie,
      headers: { accept: "text/html" },
    });
    assert.match(await account.text(), /Checking this device/);

    let called = false;
    const refusedPost = await application.auth.run(
      new Request(`${ORIGIN}/orders`, {
        method: "POST",
        headers: { cookie, origin: ORIGIN, accept: "application/json" },
        body: "all of it",
      }),
      {},
      undefined,
      () => {
        called = true;
        return new Response();
      },
    );
    assert.equal(refusedPost.status, 401);
    assert.equal((await refusedPost.json()).code, "SESSION_UNBOUND");
    assert.equal(called, false);
    const own = await application.send("/account/profile", { cookie, fields: { name: "Eve" } });
    assert.equal(own.status, 401);

    // No header of the request loosens it, and the browser keeps its cookie.
    for (
      const name of ["secure-session-skipped", "sec-secure-session-id", "secure-session-response"]
    ) {
      const request = new Request(`${ORIGIN}/page`, {
        headers: { cookie, [name]: 'unreachable;session_identifier="s1"' },
      });
      const response = await application.auth.run(
        request,
        {},
        undefined,
        () => new Response(String(getUser())),
      );
      assert.equal(await response.text(), "null");
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
  },
);

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

testOver("a token in a header has no device, and http offers none", async (application) => {
  const { ada, auth } = application;
  await ada.signIn();
  await ada.register();
  for (const token of [ada.jar.get(LONG), `${ada.jar.get(LONG)}~${ada.jar.get(SHORT)}`]) {
    const request = new Request(`${ORIGIN}/page`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const response = await auth.run(request, {}, undefined, () => new Response(String(getUser())));
    assert.equal(await response.text(), "null");
  }
}, { options: { session: { bearer: true } } });

testOver("requireRecentAuth({ deviceBound: true }) wants a bound session", async (application) => {
  const { ada } = application;
  await ada.signIn();
  const action = () => Response.json(requireRecentAuth({ deviceBound: true }));
  const refusedBefore = await visit(application, action, { cookie: ada.cookie() });
  assert.equal(refusedBefore.status, 401);
  await ada.register();
  assert.equal((await visit(application, action, { cookie: ada.cookie() })).status, 200);
});

testOver(
  "required() refuses users whose browser has bound no session",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    assert.equal(await seen(application, ada.cookie()), "undefined undefined");
    assert.equal((await ada.register()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
    const eve = await createDevice(application);
    await eve.signIn("eve");
    assert.equal(await seen(application, eve.cookie()), "eve false");
  },
  { config: { required: ({ name }) => name === "ada" } },
);

testOver(
  "both endpoints answer the same whether there is a session or not, and are counted by session",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    await ada.register();
    const nobody = await createDevice(application);
    nobody.jar.set(LONG, "b".repeat(43));
    for (const path of ["start", "refresh"] as const) {
      const headersOf = ({ headers }: Response) => [...headers.keys()].sort();
      const theirs = await ada.ask(path);
      const none = await nobody.ask(path);
      assert.deepEqual([none.status, headersOf(none)], [theirs.status, headersOf(theirs)]);
      assert.equal(await none.text(), await theirs.text());
    }
    assert.match(challengeIn(await nobody.ask("refresh")), /^\d{13}\.[\w-]{43}$/);
    const statuses = [];
    for (let round = 0; round < 62; round++) statuses.push((await ada.ask("refresh")).status);
    // By no answer of 4xx, for which a browser drops its key.
    assert.equal(statuses.at(-1), 503);
    assert.equal(statuses[40], 403);
    // Whoever has copied the long cookie uses up what is counted of their own address.
    ada.address = "198.51.100.9";
    assert.equal((await ada.refresh()).status, 200);
  },
);

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

testOver(
  "of two registrations at once one counts, and two isolates agree on refreshes",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    const proofs = await Promise.all([ada.prove(ada.offered!), ada.prove(ada.offered!)]);
    const answers = await Promise.all(proofs.map((proof) => ada.ask("start", proof)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    assert.equal(await seen(application, ada.cookie()), "ada true");
    const proof = await ada.prove(await ada.challenge());
    const racing = await Promise.all(Array.from({ length: 8 }, () => ada.ask("refresh", proof)));
    assert.equal(racing.filter(({ status }) => status === 200).length, 1);
    assert.equal(racing.filter(({ status }) => status === 403).length, 7);
    assert.equal(await seen(application, ada.cookie()), "ada true");
  },
);

testOver("the account page says if the session is bound to its device", async (application) => {
  const { ada } = application;
  await ada.signIn();
  const page = async () =>
    await (await application.send("/account", { cookie: ada.cookie() })).text();
  assert.match(await page(), /Not bound: this browser cannot bind/);
  await ada.register();
  assert.match(await page(), /Bound to this device/);
});

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
