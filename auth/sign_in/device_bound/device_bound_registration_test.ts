import assert from "node:assert/strict";
import { getUser, requireRecentAuth } from "../../session/operations.ts";
import { ORIGIN, visit } from "../../tests/application.ts";
import { createDevice, encodePart, type ProofParts } from "../../tests/device.ts";
import { GRACE, LONG, seen, SHORT, testOver } from "../../tests/device_application.ts";

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
