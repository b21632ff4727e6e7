import assert from "node:assert/strict";
import { type Ending, STEP_PURPOSE } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./records.ts";

/** Tells what a user has, by the names of what can be ended. */
const HAS: {
  readonly [Name in Ending]: (storage: CompleteStorage, id: string) => Promise<boolean>;
} = {
  sessions: async (storage, id) => await storage.readSession(`hash-${id}`) !== null,
  knownBrowsers: (storage, id) => storage.isKnownBrowser(`browser-${id}`, { now: NOW }),
  async links(storage, id) {
    const [own, mailed] = [
      await storage.readSecret("app:reset", `own-${id}`, NOW),
      await storage.readSecret("email-link", `mailed-${id}`, NOW),
    ];
    assert.equal(own === null, mailed === null);
    return own !== null;
  },
  password: async (storage, id) => await storage.readPassword(id) !== null,
  signUps: async (storage, id) => await storage.readSignUp(`sign-up-${id}`, NOW) !== null,
  async factors(storage, id) {
    const count = await storage.countRecoveryCodes(id);
    assert.equal(count > 0, await storage.readFactor(id) !== null);
    return count > 0;
  },
  trustedBrowsers: async (storage, id) => (await storage.listTrustedBrowsers(id, NOW)).length > 0,
  pendingSteps: async (storage, id) =>
    await storage.readSecret(STEP_PURPOSE, `step-${id}`, NOW) !== null,
  passkeys: async (storage, id) => (await storage.listPasskeys(id)).length > 0,
  apiKeys: async (storage, id) => (await storage.listApiKeys({ userId: id })).length > 0,
  accounts: async (storage, id) => (await storage.listAccounts(id)).length > 0,
  providerTokens: async (storage, id) =>
    (await storage.listAccounts(id)).some((one) =>
      one.accessToken !== null || one.refreshToken !== null
    ),
};

const NAMES = Object.keys(HAS) as Ending[];

/** Things that end with something else. */
const WITH: Partial<Record<Ending, Ending[]>> = {
  accounts: ["providerTokens"],
  factors: ["trustedBrowsers"],
  links: ["pendingSteps"],
  // Which count after the last change of the password only.
  password: ["trustedBrowsers"],
};

/** A user who has everything. */
async function settle(storage: CompleteStorage, id: string): Promise<void> {
  const email = `${id}@example.com`;
  await storage.createUser(record({ id, email }));
  await storage.setPassword({ userId: id, hash: `password-${id}`, changedAt: NOW - HOUR });
  await storage.insertApiKey({
    ...{ id: `key-${id}`, userId: id, tenantId: null, name: "Key", hash: "hash" },
    ...{ previousHash: null, previousUntil: null, permissions: [], limitCount: null },
    ...{ limitWindow: null, createdBy: id, createdAt: NOW, expiresAt: null, lastUsedAt: null },
  }, { max: 1 });
  await storage.insertSession(session(`session-${id}`, id, { tokenHash: `hash-${id}` }));
  await storage.putKnownBrowser(
    { idHash: `browser-${id}`, userId: id, createdAt: NOW, expiresAt: NOW + HOUR },
    { keep: 10 },
  );
  await storage.putSecret(secret(`own-${id}`, { purpose: "app:reset", userId: id }));
  await storage.putSecret(secret(`mailed-${id}`, { purpose: "email-link", identifier: email }));
  await storage.putSignUp({
    tokenHash: `sign-up-${id}`,
    emailIdentity: email,
    email,
    name: null,
    passwordHash: "hash",
    browserHash: `browser-${id}`,
    callbackUrl: null,
    createdAt: NOW,
    expiresAt: NOW + HOUR,
  }, { keep: 3 });
  await storage.insertPasskey(passkey(`passkey-${id}`, id));
  await storage.putFactor({
    userId: id,
    secret: `sealed-${id}`,
    lastStep: 1,
    createdAt: NOW,
    codes: [`code-${id}`],
    replaces: null,
  });
  await storage.putTrustedBrowser(
    { idHash: `trusted-${id}`, userId: id, userAgent: null, createdAt: NOW, expiresAt: NOW + HOUR },
    { keep: 10 },
  );
  await storage.putSecret(secret(`step-${id}`, { purpose: STEP_PURPOSE, userId: id }));
  await storage.linkAccount(
    account("code", id, { accessToken: "access", refreshToken: "refresh" }),
  );
}

/** Names of what a user has. */
async function read(storage: CompleteStorage, id: string): Promise<Ending[]> {
  const found: Ending[] = [];
  for (const name of NAMES) if (await HAS[name](storage, id)) found.push(name);
  return found;
}

/** Cases about the end of several things at once that every storage must pass. */
export const ENDING_CASES: Record<string, StorageCase> = {
  // Tracks: R162
  "endEverything() ends what is named of one user, and nothing else": async (storage) => {
    await settle(storage, "eve");
    for (const [index, name] of NAMES.entries()) {
      const id = `u${index}`;
      await settle(storage, id);
      assert.deepEqual(await read(storage, id), NAMES);
      assert.equal(await storage.endEverything(id, [name], { at: NOW }), true);
      const gone = [name, ...WITH[name] ?? []];
      assert.deepEqual(await read(storage, id), NAMES.filter((one) => !gone.includes(one)), name);
      assert.equal(await storage.endEverything(id, [name], { at: NOW }), true);
    }
    assert.deepEqual(await read(storage, "eve"), NAMES);
    assert.equal(await storage.endEverything("eve", NAMES, { at: NOW }), true);
    assert.deepEqual(await read(storage, "eve"), []);
    assert.equal((await storage.getUser("eve"))?.id, "eve");
    assert.equal(await storage.endEverything("nobody", NAMES, { at: NOW }), false);
  },
  "endEverything() spares the session that goes on, and nothing for no name": async (storage) => {
    await settle(storage, "ada");
    await storage.insertSession(session("other", "ada", { tokenHash: "other" }));
    await storage.endEverything("ada", [], { at: NOW });
    assert.deepEqual(await read(storage, "ada"), NAMES);
    await storage.endEverything("ada", ["sessions"], { at: NOW, exceptId: "session-ada" });
    assert.equal(await storage.readSession("other"), null);
    assert.deepEqual(await read(storage, "ada"), NAMES);
  },
  // Tracks: R162
  "endEverything() has a check of credentials sign nobody in that began before": async (
    storage,
  ) => {
    const counts = (id: string) => storage.credentialsCount(id, NOW - 1);
    for (const [id, verified] of [["ada", false], ["eve", true], ["bob", false]] as const) {
      const emailVerified = verified ? new Date(NOW) : null;
      await storage.createUser(record({ id, email: `${id}@example.com`, emailVerified }));
      await storage.endEverything(id, ["links"], { at: NOW });
      assert.equal(await counts(id), true);
      await storage.endEverything(id, [], { at: NOW, credentials: true, unproved: true });
      // Whoever was read as unproved, and has been proved since, keeps what counts.
      assert.equal(await counts(id), verified);
      await storage.endEverything(id, ["password"], { at: NOW });
      assert.equal(await counts(id), false);
      assert.equal(await storage.credentialsCount(id, NOW), true);
    }
  },
  "endEverything() has a refresh of tokens that is under way store none": async (storage) => {
    await settle(storage, "ada");
    const { updatedAt: from } = (await storage.findAccount("code", "id-of-ada"))!;
    await storage.endEverything("ada", ["providerTokens"], { at: NOW });
    const tokens = { accessToken: "new", refreshToken: "new", expiresAt: null, tokenType: null };
    const swapped = await storage.swapAccountTokens("code", "id-of-ada", {
      ...tokens,
      scope: null,
      from,
      at: NOW,
    });
    assert.equal(swapped, false);
    assert.equal(await HAS.providerTokens(storage, "ada"), false);
  },
  "disableUser() ends sessions, links, known and trusted browsers and API keys, which do not come back":
    async (
      storage,
    ) => {
      await settle(storage, "ada");
      await storage.disableUser("ada", NOW);
      await storage.enableUser("ada", NOW + 1);
      const ends = [
        "sessions",
        "links",
        "knownBrowsers",
        "trustedBrowsers",
        "pendingSteps",
        "apiKeys",
      ];
      const stays = NAMES.filter((name) => !ends.includes(name));
      assert.deepEqual(await read(storage, "ada"), stays);
    },
};
