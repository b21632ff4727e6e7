import assert from "node:assert/strict";
import { fromBase64UrlBytes } from "../../lib/encoding.ts";
import { createMemoryStorage, type MemoryStorage } from "../../storage/memory.ts";
import { ORIGIN } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { administrationGroup } from "../../storage/users.ts";
import { groupOf } from "../../storage/storage.ts";
import type { CborValue } from "./credential.ts";

type Options = Record<string, never> & {
  user: { id: string; name: string; displayName: string };
  excludeCredentials: { id: string }[];
};

// Tracks: R150, K4
Deno.test("a user has fifty passkeys, of which the last two come at once", async () => {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  const { database: { sqlite } } = application;
  const insert = sqlite.prepare(
    `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter,
transports, device_type, backed_up, created_at) VALUES (?, ?, 'h', 'k', 0, '[]', 'multiDevice', 1, 1)`,
  );
  const userId = await browser.user();
  for (let n = 0; n < 49; n++) insert.run(`key-${n}`, userId);
  const options = [await browser.registrationOptions(), await browser.registrationOptions()];
  const answers = await Promise.all(options.map(async (one) => {
    const made = await createSoftwareAuthenticator().create(one as Options, ORIGIN);
    const fields = { credential: JSON.stringify(made) };
    const response = await browser.send("/passkey/register", { fields });
    return [response.status, (await response.json()).code];
  }));
  assert.deepEqual(answers.sort(), [[200, undefined], [400, "PASSKEY_NOT_ADDED"]]);
  const refused = await browser.send("/passkey/options/register", { fields: {} });
  assert.equal(refused.status, 400);
  assert.match((await refused.json()).message, /at most 50 passkeys/);
  assert.equal(sqlite.prepare("SELECT count(*) AS n FROM passkeys").get()!.n, 50);
  application.close();
});

// Tracks: R124
Deno.test("the options of a registration name no user by what is personal, and exclude what is there", async () => {
  const application = createPasskeyApplication({
    authenticatorAttachment: "platform",
    residentKey: "preferred",
  });
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  const authenticator = createSoftwareAuthenticator();
  const options = await browser.registrationOptions() as Options;
  const { challenge: _, user, ...rest } = options;
  assert.match(user.id, /^[\w-]{43}$/);
  assert.deepEqual([user.name, user.displayName], ["ada", "ada"]);
  assert.deepEqual(rest, {
    rp: { id: "app.example", name: "The application" },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: {
      authenticatorAttachment: "platform",
      residentKey: "preferred",
      requireResidentKey: false,
      userVerification: "preferred",
    },
    attestation: "none",
    extensions: { credProps: true },
  });
  const credential = JSON.stringify(await authenticator.create(options, ORIGIN));
  assert.equal((await browser.send("/passkey/register", { fields: { credential } })).status, 200);
  const again = await browser.registrationOptions() as Options;
  assert.equal(again.user.id, user.id, "one handle for all passkeys of a user");
  const [passkey] = await (await browser.send("/passkeys")).json();
  assert.deepEqual(again.excludeCredentials, [
    { type: "public-key", id: passkey.id, transports: ["internal"] },
  ]);
  await assert.rejects(authenticator.create(again, ORIGIN), { name: "InvalidStateError" });
  const eve = createPasskeyBrowser(application);
  await eve.signIn("eve");
  const other = await eve.registrationOptions() as Options;
  assert.notEqual(other.user.id, user.id);
  application.close();
});

// Tracks: R125
Deno.test("the options of a sign-in are the same for everybody, whoever has a passkey or an account", async () => {
  const application = createPasskeyApplication();
  const desk = createPasskeyBrowser(application);
  await desk.signIn();
  await desk.register(createSoftwareAuthenticator());
  const shapes = [];
  const names = [{}, { email: "ada@example.com" }, { name: "ada" }, { username: "nobody" }];
  for (const fields of names) {
    for (const browser of [createPasskeyBrowser(application), desk]) {
      const response = await browser.send("/passkey/options/authenticate", { fields });
      const { challenge: _, ...options } = await response.json();
      const cookies = response.headers.getSetCookie().map((line) => line.split("=")[0]);
      shapes.push(JSON.stringify([response.status, options, cookies]));
    }
  }
  assert.equal(new Set(shapes).size, 1);
  assert.match(shapes[0]!, /"allowCredentials":\[\]/);
  application.close();
});

// Tracks: R125
Deno.test("an unknown passkey and a wrong signature get the same answer, but for the code that a script is told", async () => {
  const application = createPasskeyApplication();
  const desk = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await desk.signIn();
  await desk.register(authenticator);
  const answers = [];
  for (const accept of ["application/json", "text/html"]) {
    const wrong = { signature: () => Uint8Array.of(1) };
    const unknown = {
      credential: <T extends object>(json: T) => ({ ...json, id: "AAAA", rawId: "AAAA" }),
    };
    const pair = await Promise.all([wrong, unknown].map(async (faults) => {
      const visitor = createPasskeyBrowser(application);
      const proof = await authenticator.get(await visitor.signInOptions(), ORIGIN, faults);
      const fields = { credential: JSON.stringify(proof) };
      const response = await visitor.send("/signin/passkey", { fields, headers: { accept } });
      const text = (await response.text()).replace("PASSKEY_UNKNOWN", "PASSKEY_REFUSED");
      return [response.status, [...response.headers], text];
    }));
    assert.deepEqual(pair[0], pair[1]);
    answers.push(pair[0]);
  }
  assert.match(String(answers[1]), /This passkey does not work here/);
  application.close();
});

Deno.test("a passkey that makes an account is one that browsers list, whatever the others are", async () => {
  for (const residentKey of ["required", "preferred", "discouraged"] as const) {
    const application = createPasskeyApplication({ residentKey, signUp: true });
    const browser = createPasskeyBrowser(application);
    const options = await browser.registrationOptions({ name: "Ada" });
    const { authenticatorSelection } = options as { authenticatorSelection: object };
    assert.deepEqual(authenticatorSelection, {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "preferred",
    });
    const authenticator = createSoftwareAuthenticator();
    const joined = await browser.register(authenticator, { ask: { name: "Ada" } });
    assert.equal(joined.status, 200);
    const again = createPasskeyBrowser(application);
    assert.equal((await again.prove(authenticator)).status, 200);
    application.close();
  }
});

// Tracks: R120
Deno.test("a fresh proof is one of the signed-in user's own passkeys, also of one that the device does not keep", async () => {
  const application = createPasskeyApplication({ residentKey: "discouraged" });
  const ada = createPasskeyBrowser(application);
  const eve = createPasskeyBrowser(application);
  const hers = createSoftwareAuthenticator();
  const other = createSoftwareAuthenticator();
  await ada.signIn();
  await eve.signIn("eve");
  await ada.register(hers);
  await eve.register(other);
  const ask = { reauthenticate: "true" };
  await assert.rejects(ada.prove(other, { ask }), { name: "NotAllowedError" });
  const options = { ...await ada.signInOptions(ask), allowCredentials: [] };
  const proof = JSON.stringify(await other.get(options, ORIGIN));
  const response = await ada.send("/signin/passkey", { fields: { credential: proof } });
  assert.equal(response.status, 401);
  assert.equal(await ada.user(), "ada");
  const faults = {
    credential: ({ response: { userHandle: _, ...response }, ...json }: Parameters<
      NonNullable<NonNullable<Parameters<typeof hers.get>[2]>["credential"]>
    >[0]) => ({ ...json, response }),
  };
  assert.equal((await ada.prove(hers, { ask, faults })).status, 200);
  const nobody = createPasskeyBrowser(application);
  const asked = await nobody.send("/passkey/options/authenticate", { fields: ask });
  assert.equal(asked.status, 401);
  application.close();
});

// Tracks: R120
Deno.test("of two users neither signs in with the other's handle or the other's key", async () => {
  const application = createPasskeyApplication();
  const [hers, his] = [createSoftwareAuthenticator(), createSoftwareAuthenticator()];
  for (const [name, authenticator] of [["ada", hers], ["eve", his]] as const) {
    const browser = createPasskeyBrowser(application);
    await browser.signIn(name);
    await browser.register(authenticator);
  }
  const [ada, eve] = [hers.credentials[0]!, his.credentials[0]!];
  [ada.userHandle, eve.userHandle] = [eve.userHandle, ada.userHandle];
  assert.equal(
    (await createPasskeyBrowser(application).prove(hers)).status,
    401,
    "swapped handles",
  );
  [ada.userHandle, eve.userHandle] = [eve.userHandle, ada.userHandle];
  [ada.keys, eve.keys] = [eve.keys, ada.keys];
  assert.equal((await createPasskeyBrowser(application).prove(hers)).status, 401, "swapped keys");
  [ada.keys, eve.keys] = [eve.keys, ada.keys];
  assert.equal((await createPasskeyBrowser(application).prove(hers)).status, 200);
  application.close();
});

Deno.test("a visitor makes an account with a passkey, in one step or not at all", async () => {
  const application = createPasskeyApplication({ signUp: true }, {
    pages: { newUser: "/welcome" },
  });
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  const options = await browser.registrationOptions({ name: " Ada Lovelace " }) as Options;
  assert.deepEqual([options.user.name, options.user.displayName], ["Ada Lovelace", "Ada Lovelace"]);
  const users = application.database.sqlite.prepare("SELECT * FROM users");
  assert.deepEqual(users.all(), [], "nothing is there before the passkey is");
  const credential = JSON.stringify(await authenticator.create(options, ORIGIN));
  const fields = { credential, callbackUrl: "/inside", name: "Eve" };
  const response = await browser.send("/passkey/register", { fields });
  assert.equal(response.status, 200);
  const { redirectTo, user } = await response.json();
  assert.equal(
    redirectTo,
    `${ORIGIN}/welcome?callbackUrl=${encodeURIComponent(`${ORIGIN}/inside`)}`,
  );
  assert.equal(user.name, "Ada Lovelace");
  assert.equal(user.email, null);
  const [row] = users.all();
  assert.deepEqual([row!.email, row!.email_identity, row!.email_verified], [null, null, null]);
  assert.equal(await browser.user(), user.id);
  const visitor = createPasskeyBrowser(application);
  assert.equal((await visitor.prove(authenticator)).status, 200);
  assert.equal(await visitor.user(), user.id);
  const types = application.log.filter(({ event }) =>
    /^(sign-up|sign-in|passkey-added)$/.test(event)
  );
  assert.deepEqual(types.map(({ event }) => event), [
    "sign-up",
    "sign-in",
    "passkey-added",
    "sign-in",
  ]);
  application.close();
});

Deno.test("a sign-up needs a name, the option, and the application's consent", async () => {
  const closed = createPasskeyApplication();
  const refused = await createPasskeyBrowser(closed)
    .send("/passkey/options/register", { fields: { name: "Ada" } });
  assert.equal(refused.status, 401);
  closed.close();
  const application = createPasskeyApplication({ signUp: true }, {
    callbacks: {
      signIn: ({ user, account }) => account?.type === "webauthn" && user.name === "Ada",
    },
  });
  const browser = createPasskeyBrowser(application);
  for (const name of ["", "  ", "x".repeat(65)]) {
    const response = await browser.send("/passkey/options/register", { fields: { name } });
    assert.equal(response.status, 400, name);
  }
  const denied = await browser.register(createSoftwareAuthenticator(), { ask: { name: "Eve" } });
  assert.equal((await denied.json()).code, "ACCESS_DENIED");
  for (const table of ["users", "passkeys", "sessions"]) {
    assert.deepEqual(application.database.sqlite.prepare(`SELECT * FROM ${table}`).all(), []);
  }
  const made = await browser.register(createSoftwareAuthenticator(), { ask: { name: "Ada" } });
  assert.equal(made.status, 200);
  application.close();
});

Deno.test("a visitor whom the application sends elsewhere at sign-up leaves nothing behind", async () => {
  const application = createPasskeyApplication({ signUp: true }, {
    callbacks: { signIn: ({ account }) => account?.type === "webauthn" ? "/wait" : true },
  });
  const browser = createPasskeyBrowser(application);
  for (const signedIn of [false, true]) {
    const authenticator = createSoftwareAuthenticator();
    const options = await browser.registrationOptions({ name: "Eve" });
    if (signedIn) await browser.signIn();
    const credential = JSON.stringify(await authenticator.create(options, ORIGIN));
    const response = await browser.send("/passkey/register", { fields: { credential } });
    assert.equal((await response.json()).redirectTo, `${ORIGIN}/wait`);
    assert.equal(await browser.user(), signedIn ? "ada" : null);
  }
  assert.deepEqual(application.database.sqlite.prepare("SELECT id FROM passkeys").all(), []);
  assert.equal(application.log.some(({ event }) => event === "passkey-added"), false);
  application.close();
});

Deno.test("too many wrong passwords from an address do not keep a passkey out", async () => {
  const application = createPasskeyApplication({}, {
    rateLimit: { login: { limit: 1, window: 900 } },
  });
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await browser.signIn();
  await browser.register(authenticator);
  const fields = { name: "ada", password: "wrong" };
  const wrong = () => createPasskeyBrowser(application).send("/signin/credentials", { fields });
  for (let time = 0; time < 25; time++) await wrong();
  assert.equal((await wrong()).status, 429);
  assert.equal((await createPasskeyBrowser(application).prove(authenticator)).status, 200);
  application.close();
});

// Tracks: R118
Deno.test("a sign-up with a credential that is taken makes nobody", async () => {
  const application = createPasskeyApplication({ signUp: true });
  const authenticator = createSoftwareAuthenticator();
  const browser = createPasskeyBrowser(application);
  assert.equal((await browser.register(authenticator, { ask: { name: "Ada" } })).status, 200);
  const thief = createPasskeyBrowser(application);
  const options = await thief.registrationOptions({ name: "Eve" });
  const { id } = authenticator.credentials[0]!;
  const text = btoa(String.fromCharCode(...id)).replaceAll("+", "-").replaceAll("/", "_");
  const credential = await createSoftwareAuthenticator().create(options, ORIGIN, {
    authenticatorData(bytes) {
      bytes.set(id, 55);
      return bytes;
    },
    credential: (json) => ({ ...json, id: text.replace("=", ""), rawId: text.replace("=", "") }),
  });
  const fields = { credential: JSON.stringify(credential) };
  const response = await thief.send("/passkey/register", { fields });
  assert.equal((await response.json()).code, "ACCOUNT_TAKEN");
  assert.equal(await thief.user(), null);
  const users = application.database.sqlite.prepare("SELECT name FROM users").all();
  assert.deepEqual(users.map(({ name }) => name), ["Ada"]);
  application.close();
});

Deno.test("a disabled user's passkey is right and lets nobody in, and signIn is asked with the user", async () => {
  const asked: unknown[] = [];
  const application = createPasskeyApplication({}, {
    callbacks: {
      signIn({ user, account }) {
        asked.push([user.name, account?.type]);
        return true;
      },
    },
  });
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await browser.signIn();
  await browser.register(authenticator);
  const visitor = createPasskeyBrowser(application);
  assert.equal((await visitor.prove(authenticator)).status, 200);
  assert.deepEqual(asked, [["ada", "credentials"], ["ada", "webauthn"]]);
  await groupOf(application.auth.storage({}), administrationGroup).disableUser("ada", 1);
  const response = await createPasskeyBrowser(application).prove(authenticator);
  assert.equal((await response.json()).code, "USER_UNAVAILABLE");
  application.close();
});

Deno.test("several origins below one domain share their passkeys", async () => {
  const shop = "https://shop.app.example";
  const application = createPasskeyApplication({ origin: [ORIGIN, shop] });
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await browser.signIn();
  assert.equal((await browser.register(authenticator, { origin: shop })).status, 200);
  for (const origin of [shop, ORIGIN]) {
    assert.equal((await browser.prove(authenticator, { origin })).status, 200);
  }
  assert.equal(
    (await browser.prove(authenticator, { origin: "https://x.app.example" })).status,
    401,
  );
  application.close();
});

Deno.test("a form that was sent is answered with a redirect, or with the page and the reason", async () => {
  const application = createPasskeyApplication({ signUp: true });
  const desk = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await desk.signIn();
  const headers = { accept: "text/html" };
  const made = await authenticator.create(await desk.registrationOptions(), ORIGIN);
  const fields = { credential: JSON.stringify(made), callbackUrl: "/account" };
  const added = await desk.send("/passkey/register", { fields, headers });
  assert.deepEqual([added.status, added.headers.get("location")], [303, `${ORIGIN}/account`]);
  for (const callbackUrl of ["https://evil.example/", "//evil.example"]) {
    const second = createSoftwareAuthenticator();
    const credential = JSON.stringify(
      await second.create(await desk.registrationOptions(), ORIGIN),
    );
    const response = await desk.send("/passkey/register", {
      fields: { credential, callbackUrl },
      headers,
    });
    assert.equal(response.headers.get("location"), `${ORIGIN}/`);
  }
  const visitor = createPasskeyBrowser(application);
  const refused = await visitor.send("/passkey/register", {
    fields: { credential: "{}" },
    headers,
  });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /This passkey could not be added\. Try again\./);
  const proof = await authenticator.get(await visitor.signInOptions(), ORIGIN);
  const signedIn = await visitor.send("/signin/passkey", {
    fields: { credential: JSON.stringify(proof), callbackUrl: "/account" },
    headers,
  });
  assert.deepEqual([signedIn.status, signedIn.headers.get("location")], [303, `${ORIGIN}/account`]);
  application.close();
});

Deno.test("passkeys work with sessions in tokens", async () => {
  const application = createPasskeyApplication({ signUp: true }, {
    session: { strategy: jwtSessions },
    secret: "a secret of the test, of 32 bytes or more",
  });
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  const made = await browser.register(authenticator, { ask: { name: "Ada" } });
  assert.equal(made.status, 200, await made.clone().text());
  assert.equal((await browser.register(createSoftwareAuthenticator())).status, 200);
  const visitor = createPasskeyBrowser(application);
  assert.equal((await visitor.prove(authenticator)).status, 200);
  assert.equal(await visitor.user(), await browser.user());
  application.clock.now += 601_000;
  const stale = await visitor.send("/passkey/options/register", { method: "POST" });
  assert.equal((await stale.json()).code, "REAUTHENTICATION_REQUIRED");
  assert.equal(
    (await visitor.prove(authenticator, { ask: { reauthenticate: "true" } })).status,
    200,
  );
  assert.equal((await visitor.register(createSoftwareAuthenticator())).status, 200);
  application.close();
});

// Tracks: R148, R143
Deno.test("passkeys are tried, made and prepared a bounded number of times by one client", async () => {
  const application = createPasskeyApplication({ signUp: true }, {
    rateLimit: { login: { limit: 1, window: 900 } },
  });
  const browser = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  assert.equal((await browser.register(authenticator, { ask: { name: "ada" } })).status, 200);
  // What succeeds does not count.
  for (let round = 0; round < 25; round++) {
    assert.equal((await browser.prove(authenticator)).status, 200);
  }
  const stranger = createPasskeyBrowser(application);
  const fields = { credential: "{}" };
  const refusals: number[] = [];
  for (let round = 0; round < 21; round++) {
    const path = round % 2 === 0 ? "/signin/passkey" : "/passkey/register";
    refusals.push((await stranger.send(path, { fields })).status === 429 ? 1 : 0);
  }
  assert.deepEqual(refusals, [...Array(19).fill(0), 1, 1], "19, since the sign-up counts");
  const failed = application.log.filter(({ event }) => event === "sign-in-failed");
  assert.ok(failed.every(({ fields }) => fields.code !== "RATE_LIMITED"));
  for (let round = 0; round < 74; round++) await stranger.signInOptions();
  const refused = await stranger.send("/passkey/options/authenticate", { fields: {} });
  assert.equal(refused.status, 429);
  const other = { fields: {}, info: { clientAddress: "198.51.100.9" } };
  assert.equal((await stranger.send("/passkey/options/authenticate", other)).status, 200);
  application.close();
});

// Tracks: R029, R127, GHSA-qq9h-g4jm-xgf3
Deno.test("no passkey is added or used that the first proof of the mailbox takes at this moment", async () => {
  const emailIdentity = "victim@example.com";
  const at = Date.UTC(2026, 0, 1);
  for (const moment of ["insertPasskey", "getPasskey", "insertSession"] as const) {
    const storage = createMemoryStorage();
    let armed = false;
    const prove = async () => {
      if (armed) await storage.proveEmail("mallory", { emailIdentity, at });
    };
    const database: MemoryStorage = {
      ...storage,
      async insertPasskey(...all) {
        if (moment === "insertPasskey") await prove();
        return await storage.insertPasskey(...all);
      },
      async getPasskey(id) {
        const passkey = await storage.getPasskey(id);
        if (moment === "getPasskey") await prove();
        return passkey;
      },
      async insertSession(...all) {
        if (moment === "insertSession") await prove();
        return await storage.insertSession(...all);
      },
    };
    const application = createPasskeyApplication({}, { database });
    await storage.createUser({
      user: { id: "mallory", email: emailIdentity },
      emailIdentity,
      at,
    });
    const browser = createPasskeyBrowser(application);
    await browser.signIn("mallory");
    const authenticator = createSoftwareAuthenticator();
    armed = moment === "insertPasskey";
    assert.equal((await browser.register(authenticator)).ok, !armed);
    if (!armed) {
      armed = true;
      const response = await createPasskeyBrowser(application).prove(authenticator);
      assert.equal(response.ok, false, moment);
    }
    assert.deepEqual(await storage.listPasskeys("mallory"), []);
    assert.deepEqual(await storage.listSessions("mallory", { now: at, limit: 5 }), []);
    application.close();
  }
});

/** A certificate that names http://inside.example/list for revoked ones, and its own root. */
const CERTIFICATES = [
  "MIIBPjCB5KADAgECAgECMAoGCCqGSM49BAMCMA8xDTALBgNVBAMTBHJvb3QwIBcNMjYwMTAxMDAwMDAwWhgPMjEy" +
  "NjAxMDEwMDAwMDBaMA8xDTALBgNVBAMTBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATM9V84ZioUF5Aq" +
  "kxtKOPk3GDIwAjal6GNpriIYA79Cd1YkdvwmaSAl3e_OhrIqsutz6aK33eaAzW0SZcoDlPDhoy8wLTArBgNVHR8E" +
  "JDAiMCCgHqAchhpodHRwOi8vaW5zaWRlLmV4YW1wbGUvbGlzdDAKBggqhkjOPQQDAgNJADBGAiEA08kqyKvyBLGh" +
  "H3YKowSamzUqKR3AtYdS_q8lPbQUe9UCIQDzgnUGS0rwJU0JPEVVEffJSpCGf-DT2Dm_ZsMeNNguYA",
  "MIIBETCBt6ADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMTBHJvb3QwIBcNMjYwMTAxMDAwMDAwWhgPMjEy" +
  "NjAxMDEwMDAwMDBaMA8xDTALBgNVBAMTBHJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARPxNNzPt4hWwHW" +
  "Hwd9hXz4a7Wu0gACBG1h0Bj4MYibYPG40lyg0JskTFKcOMHu2UTwQXoPtb3PZvpXLvunRpZyowIwADAKBggqhkjO" +
  "PQQDAgNJADBGAiEApC0xyEJIbAT-ugY-I4ZM1XijB4RLeysN6HCq2XLvxYcCIQCdc69dO5c9hVkfyfPj9fcRgiJb" +
  "jPA9vIWDrunpSc7BMA",
];

// Tracks: R119, R195
Deno.test("a registration makes the server fetch nothing, and reads no certificate", async () => {
  const { fetch } = globalThis;
  const fetched: unknown[] = [];
  globalThis.fetch = (address) => {
    fetched.push(address);
    return Promise.resolve(new Response());
  };
  try {
    const x5c = CERTIFICATES.map((text) => fromBase64UrlBytes(text));
    const statement = new Map<string, CborValue>([["alg", -7], ["sig", new Uint8Array(70)]]);
    for (const fmt of ["apple", "android-key", "fido-u2f", "packed", "tpm"]) {
      const application = createPasskeyApplication();
      const browser = createPasskeyBrowser(application);
      await browser.signIn();
      const attStmt = new Map<string, CborValue>([...statement, ["x5c", x5c]]);
      const response = await browser.register(createSoftwareAuthenticator(), {
        faults: {
          attestation: (object) =>
            new Map([...object, ["fmt", fmt], ["attStmt", attStmt]] as [string, CborValue][]),
        },
      });
      assert.deepEqual([fmt, response.status, fetched], [fmt, 200, []]);
      application.close();
    }
  } finally {
    globalThis.fetch = fetch;
  }
});
