import assert from "node:assert/strict";
import {
  apiKeyGroup,
  type Ending,
  knownBrowserGroup,
  linkedAccountGroup,
  passkeyGroup,
  passwordGroup,
  secondFactorGroup,
  secretGroup,
  STEP_PURPOSE,
  type StorageGroup,
} from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

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

/** Group by which a user gets each; null for what every storage has. */
const GROUPS: Readonly<Record<Ending, StorageGroup<object> | null>> = {
  sessions: null,
  knownBrowsers: knownBrowserGroup,
  links: secretGroup,
  password: passwordGroup,
  signUps: passwordGroup,
  factors: secondFactorGroup,
  trustedBrowsers: secondFactorGroup,
  pendingSteps: secretGroup,
  passkeys: passkeyGroup,
  apiKeys: apiKeyGroup,
  accounts: linkedAccountGroup,
  providerTokens: linkedAccountGroup,
};

/** Names of what a user of this storage can have: a hole is one whichever groups a storage lacks. */
function namesOf(storage: CompleteStorage): Ending[] {
  return NAMES.filter((name) => GROUPS[name] === null || storage.group?.(GROUPS[name]));
}

/** Things that end with something else. */
const WITH: Partial<Record<Ending, Ending[]>> = {
  accounts: ["providerTokens"],
  factors: ["trustedBrowsers"],
  links: ["pendingSteps"],
  // Which count after the last change of the password only.
  password: ["trustedBrowsers"],
};

/** Gives a user one of each; some bring another with them. */
const GIVE: {
  readonly [Name in Ending]: (storage: CompleteStorage, id: string) => Promise<unknown>;
} = {
  sessions: (storage, id) =>
    storage.insertSession(session(`session-${id}`, id, { tokenHash: `hash-${id}` })),
  knownBrowsers: (storage, id) =>
    storage.putKnownBrowser(
      { idHash: `browser-${id}`, userId: id, createdAt: NOW, expiresAt: NOW + HOUR },
      { keep: 10 },
    ),
  async links(storage, id) {
    const identifier = `${id}@example.com`;
    await storage.putSecret(secret(`own-${id}`, { purpose: "app:reset", userId: id }));
    await storage.putSecret(secret(`mailed-${id}`, { purpose: "email-link", identifier }));
  },
  // Of before: what else there is counts since the last change of the password only, and ends with it.
  password: (storage, id) =>
    storage.setPassword({ userId: id, hash: `password-${id}`, changedAt: NOW - HOUR }),
  signUps: (storage, id) =>
    storage.putSignUp({
      tokenHash: `sign-up-${id}`,
      emailIdentity: `${id}@example.com`,
      email: `${id}@example.com`,
      name: null,
      passwordHash: "hash",
      browserHash: `browser-${id}`,
      callbackUrl: null,
      createdAt: NOW,
      expiresAt: NOW + HOUR,
    }, { keep: 3 }),
  factors: (storage, id) =>
    storage.putFactor({
      userId: id,
      secret: `sealed-${id}`,
      lastStep: 1,
      createdAt: NOW,
      codes: [`code-${id}`],
      replaces: null,
    }),
  trustedBrowsers: (storage, id) =>
    storage.putTrustedBrowser(
      {
        ...{ idHash: `trusted-${id}`, userId: id, userAgent: null },
        ...{ createdAt: NOW, expiresAt: NOW + HOUR },
      },
      { keep: 10 },
    ),
  pendingSteps: (storage, id) =>
    storage.putSecret(secret(`step-${id}`, { purpose: STEP_PURPOSE, userId: id })),
  passkeys: (storage, id) => storage.insertPasskey(passkey(`passkey-${id}`, id)),
  apiKeys: (storage, id) =>
    storage.insertApiKey({
      ...{ id: `key-${id}`, userId: id, tenantId: null, name: "Key", hash: "hash" },
      ...{ previousHash: null, previousUntil: null, permissions: [], limitCount: null },
      ...{ limitWindow: null, createdBy: id, createdAt: NOW, expiresAt: null, lastUsedAt: null },
    }, { max: 1 }),
  accounts: (storage, id) =>
    storage.linkAccount(account("code", id, { accessToken: "access", refreshToken: "refresh" })),
  providerTokens: () => Promise.resolve(),
};

/** A user who has everything that a user of this storage can have. */
async function settle(storage: CompleteStorage, id: string): Promise<void> {
  const names = namesOf(storage);
  await storage.createUser(record({ id, email: `${id}@example.com` }));
  // A new password ends most of the others.
  if (names.includes("password")) await GIVE.password(storage, id);
  for (const name of names) if (name !== "password") await GIVE[name](storage, id);
}

/** Names of what a user has. */
async function read(storage: CompleteStorage, id: string): Promise<Ending[]> {
  const found: Ending[] = [];
  for (const name of namesOf(storage)) if (await HAS[name](storage, id)) found.push(name);
  return found;
}

/** Cases about the end of several things at once that every storage must pass. */
export const ENDING_CASES: Record<string, StorageCase> = inSuite("operations", {
  // Tracks: R162
  "endEverything() ends what is named of one user, and nothing else": async (storage) => {
    const names = namesOf(storage);
    await settle(storage, "eve");
    for (const [index, name] of names.entries()) {
      const id = `u${index}`;
      await settle(storage, id);
      assert.deepEqual(await read(storage, id), names);
      assert.equal(await storage.endEverything(id, [name], { at: NOW }), true);
      const gone = [name, ...WITH[name] ?? []];
      assert.deepEqual(await read(storage, id), names.filter((one) => !gone.includes(one)), name);
      assert.equal(await storage.endEverything(id, [name], { at: NOW }), true);
    }
    assert.deepEqual(await read(storage, "eve"), names);
    assert.equal(await storage.endEverything("eve", names, { at: NOW }), true);
    assert.deepEqual(await read(storage, "eve"), []);
    assert.equal((await storage.getUser("eve"))?.id, "eve");
    assert.equal(await storage.endEverything("nobody", names, { at: NOW }), false);
  },
  "endEverything() spares the session that goes on, and nothing for no name": async (storage) => {
    const names = namesOf(storage);
    for (const id of ["ada", "eve"]) await settle(storage, id);
    await storage.insertSession(session("other", "ada", { tokenHash: "other" }));
    await storage.endEverything("ada", [], { at: NOW });
    assert.deepEqual(await read(storage, "ada"), names);
    await storage.endEverything("ada", ["sessions"], { at: NOW, exceptId: "session-ada" });
    assert.equal(await storage.readSession("other"), null);
    for (const id of ["ada", "eve"]) assert.deepEqual(await read(storage, id), names);
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
    await storage.createUser(record({ id: "ada" }));
    const full = { expiresAt: NOW + HOUR, tokenType: "bearer", scope: "read" };
    const given = { accessToken: "access", refreshToken: "refresh", ...full };
    await storage.linkAccount(account("code", "ada", given));
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
    const none = { accessToken: null, refreshToken: null, expiresAt: null, tokenType: null };
    assert.deepEqual(await storage.findAccount("code", "id-of-ada"), {
      ...account("code", "ada", { ...none, scope: null }),
      updatedAt: from + 1,
    });
  },
  // Tracks: R162
  "proveEmail() and redeemSecret() end nothing of another user, and nothing where they prove nothing":
    async (storage) => {
      const names = namesOf(storage);
      for (const id of ["ada", "eve"]) await settle(storage, id);
      // Somebody else's mailbox, of a user who is there.
      const foreign = { emailIdentity: "eve@example.com", at: NOW };
      for (const keepOwn of [true, false]) {
        assert.equal(await storage.proveEmail("ada", { ...foreign, keepOwn }), "absent");
        const about = { purpose: "proof", hash: "h", identifier: "ada" };
        await storage.putSecret(secret("h", { ...about, userId: "ada" }));
        // Another secret, of the same text, which proves nothing of this purpose.
        await storage.putSecret(secret("other", { ...about, purpose: "app:proof", hash: "gone" }));
        const proof = { now: NOW, userId: "ada", keepOwn, ends: ["app:proof"] };
        const own = { ...proof, emailIdentity: "ada@example.com" };
        assert.equal(await storage.redeemSecret({ ...about, hash: "gone" }, own), "absent");
        assert.notEqual(await storage.readSecret("app:proof", "gone", NOW), null);
        const redeemed = await storage.redeemSecret(about, { ...proof, ...foreign });
        assert.equal(redeemed, "redeemed");
        for (const id of ["ada", "eve"]) {
          assert.deepEqual(await read(storage, id), names);
          assert.equal((await storage.getUser(id))?.emailVerified, null);
        }
      }
      const own = { emailIdentity: "ada@example.com", at: NOW };
      assert.equal(await storage.proveEmail("ada", own), "proved");
      assert.deepEqual(await read(storage, "eve"), names);
      assert.equal(await storage.credentialsCount("eve", NOW), true);
    },
  "updateUser() ends links and known browsers with another mailbox, and nothing with the same":
    async (
      storage,
    ) => {
      const names = namesOf(storage);
      for (const id of ["ada", "eve"]) await settle(storage, id);
      await storage.updateUser(record({ id: "ada", email: "ADA@example.com", name: "Ada" }));
      assert.deepEqual(await read(storage, "ada"), names);
      await storage.updateUser(record({ id: "ada", email: "new@example.com" }));
      const ends = ["links", "pendingSteps", "knownBrowsers"];
      assert.deepEqual(await read(storage, "ada"), names.filter((name) => !ends.includes(name)));
      assert.deepEqual(await read(storage, "eve"), names);
    },
  // Tracks: R039, GHSA-2vg6
  "deleteUser() takes everything of the user with it, also for whoever gets the id next": async (
    storage,
  ) => {
    const names = namesOf(storage);
    for (const id of ["ada", "eve"]) await settle(storage, id);
    assert.equal(await storage.deleteUser("ada"), true);
    assert.deepEqual(await read(storage, "eve"), names);
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    // What was sent to the address has no user in it, and is whose the mailbox is.
    for (const name of names) {
      if (name !== "links" && name !== "signUps") {
        assert.equal(await HAS[name](storage, "ada"), false, name);
      }
    }
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
      const stays = namesOf(storage).filter((name) => !ends.includes(name));
      assert.deepEqual(await read(storage, "ada"), stays);
    },
});
