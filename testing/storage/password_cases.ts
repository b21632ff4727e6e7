import assert from "node:assert/strict";
import { type PendingSignUp, type SignUpOutcome, UserExistsError } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import { HOUR, NEVER, NOW, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

const MAILBOX = "ada@example.com";

function signUp(tokenHash: string, changes: Partial<PendingSignUp> = {}): PendingSignUp {
  return {
    tokenHash,
    emailIdentity: MAILBOX,
    email: "Ada@example.com",
    name: null,
    passwordHash: `hash-of-${tokenHash}`,
    browserHash: "browser",
    callbackUrl: null,
    createdAt: NOW,
    expiresAt: NOW + HOUR,
    ...changes,
  };
}

async function tokensOf(storage: CompleteStorage, hashes: string[]): Promise<string[]> {
  const found = await Promise.all(hashes.map((hash) => storage.readSignUp(hash, NOW)));
  return found.filter((one) => one !== null).map(({ tokenHash }) => tokenHash);
}

function proved(id: string, email: string = MAILBOX, at: number = NOW) {
  return record({ id, email, emailVerified: new Date(at) }, at);
}

/** Cases about passwords and pending sign-ups that every storage must pass. */
export const PASSWORD_CASES: Record<string, StorageCase> = inSuite("operations", {
  "findPassword() finds the user of a mailbox, with the hash where there is one": async (
    storage,
  ) => {
    assert.equal(await storage.findPassword(MAILBOX), null);
    await storage.createUser(record({ id: "ada", email: MAILBOX, name: "Ada" }));
    const without = await storage.findPassword(MAILBOX);
    assert.deepEqual([without?.user.name, without?.hash], ["Ada", null]);
    assert.equal(await storage.setPassword({ userId: "ada", hash: "h1", changedAt: NOW }), true);
    assert.equal((await storage.findPassword(MAILBOX))?.hash, "h1");
    assert.deepEqual(await storage.readPassword("ada"), {
      userId: "ada",
      hash: "h1",
      changedAt: NOW,
    });
    // Whether they may sign in is asked with the session.
    await storage.disableUser("ada", NOW);
    assert.equal((await storage.findPassword(MAILBOX))?.hash, "h1");
    await storage.deleteUser("ada");
    assert.equal(await storage.readPassword("ada"), null);
    assert.equal(await storage.findPassword(MAILBOX), null);
  },
  // Tracks: R165
  "setPassword() ends what the password of before has opened, and its checks that still run":
    async (
      storage,
    ) => {
      for (const id of ["ada", "eve"]) {
        await storage.createUser(record({ id, email: `${id}@example.com` }));
        await storage.insertSession(session(`${id}-1`, id));
        await storage.insertSession(session(`${id}-2`, id));
        await storage.putSecret(secret(`${id}-secret`, { userId: id }));
        const browser = { idHash: `${id}-b`, userId: id, createdAt: NOW, expiresAt: NOW + HOUR };
        await storage.putKnownBrowser(browser, { keep: 3 });
      }
      const changed = { userId: "ada", hash: "h2", changedAt: NOW + 5 };
      assert.equal(await storage.setPassword(changed, { exceptId: "ada-2" }), true);
      const ids = async (id: string) =>
        (await storage.listSessions(id, { now: NOW, limit: 9 })).map((one) => one.id).sort();
      assert.deepEqual(await ids("ada"), ["ada-2"]);
      assert.deepEqual(await ids("eve"), ["eve-1", "eve-2"]);
      assert.equal(await storage.readSecret("email", "ada-secret", NOW), null);
      assert.notEqual(await storage.readSecret("email", "eve-secret", NOW), null);
      assert.equal(await storage.isKnownBrowser("ada-b", { now: NOW }), false);
      assert.equal(await storage.isKnownBrowser("eve-b", { now: NOW }), true);
      const late = await storage.insertSession(session("late", "ada"), { proofBegunAt: NOW + 4 });
      assert.equal(late, null, "a check of the password of before");
      const own = await storage.insertSession(session("own", "ada"), { proofBegunAt: NOW + 5 });
      assert.notEqual(own, null);
      assert.equal(await storage.setPassword({ ...changed, changedAt: NOW + 9 }), true);
      assert.deepEqual(await ids("ada"), []);
    },
  // Tracks: R165
  "setPassword() gives nobody a password who is gone, disabled, or proved meanwhile": async (
    storage,
  ) => {
    await storage.createUser(proved("ada"));
    const old = { userId: "ada", hash: "old", changedAt: NOW };
    assert.equal(await storage.setPassword(old), true);
    // Whose password it is makes a difference.
    await storage.createUser(record({ id: "eve" }));
    await storage.setPassword({ userId: "eve", hash: "h", changedAt: NOW });
    await storage.insertSession(session("s", "ada"));
    await storage.putSecret(secret("secret", { userId: "ada" }));
    const password = { userId: "ada", hash: "h", changedAt: NOW + 1 };
    assert.equal(await storage.setPassword({ ...password, userId: "nobody" }), false);
    assert.equal(await storage.setPassword(password, { unproved: true }), false);
    assert.notEqual(await storage.readSession("hash-of-s"), null);
    assert.notEqual(await storage.readSecret("email", "secret", NOW), null);
    assert.equal(await storage.credentialsCount("ada", NOW), true);
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.setPassword(password), false);
    await storage.enableUser("ada", NOW);
    assert.deepEqual(await storage.readPassword("ada"), old);
    assert.equal(await storage.setPassword(password), true);
    assert.deepEqual(await storage.readPassword("ada"), password);
  },
  // Tracks: R046, R165
  "setPassword() by a session sets none when the session has ended, or another password was set meanwhile":
    async (storage) => {
      await storage.createUser(proved("ada"));
      await storage.insertSession(session("thief", "ada"));
      await storage.insertSession(session("other", "ada"));
      const of = (hash: string, changedAt = NOW + 1) => ({ userId: "ada", hash, changedAt });
      const by = (exceptId: string, proofBegunAt = NOW) => ({
        exceptId,
        bySession: true,
        proofBegunAt,
      });
      assert.equal(await storage.setPassword(of("h1"), by("nobody's")), false);
      await storage.createUser(record({ id: "eve" }));
      await storage.insertSession(session("hers", "eve"));
      assert.equal(await storage.setPassword(of("h1"), by("hers")), false);
      await storage.deleteSessionById("ada", "thief");
      assert.equal(await storage.setPassword(of("h1"), by("thief")), false);
      assert.equal(await storage.readPassword("ada"), null);
      assert.notEqual(await storage.readSession("hash-of-other"), null);
      // The owner sets a password by mail, while another one is being hashed.
      await storage.setPassword(of("owner's", NOW + 5));
      await storage.insertSession(session("late", "ada"));
      assert.equal(await storage.setPassword(of("thief's", NOW + 6), by("late", NOW + 4)), false);
      assert.equal((await storage.readPassword("ada"))?.hash, "owner's");
      assert.equal(await storage.setPassword(of("again", NOW + 7), by("late", NOW + 5)), true);
      assert.notEqual(await storage.readSession("hash-of-late"), null);
      assert.equal((await storage.readPassword("ada"))?.hash, "again");
    },
  // Tracks: R162
  "the first proof of a mailbox ends the password that was set before it": async (storage) => {
    for (const keepOwn of [false, true]) {
      const id = keepOwn ? "own" : "left";
      const email = `${id}@example.com`;
      await storage.createUserWithPassword(record({ id, email }), "stranger's");
      assert.equal((await storage.findPassword(email))?.hash, "stranger's");
      await storage.proveEmail(id, { emailIdentity: email, at: NOW, keepOwn });
      assert.equal((await storage.findPassword(email))?.hash, keepOwn ? "stranger's" : null);
    }
  },
  // Tracks: R165
  "findPassword() gives the time from which checks count, which rises whatever the clock of who moves it says":
    async (storage) => {
      await storage.createUserWithPassword(record({ id: "ada", email: MAILBOX }), "h1");
      const read = async () => (await storage.findPassword(MAILBOX))!.credentialsAfter;
      const counts: number[] = [await read()];
      const moves = [
        (changedAt: number) => storage.setPassword({ userId: "ada", hash: "h2", changedAt }),
        (at: number) => storage.endEverything("ada", [], { at, credentials: true }),
        (at: number) => storage.endEverything("ada", ["links", "password"], { at }),
      ];
      for (const [index, move] of moves.entries()) {
        // Later, the same once more, and by a clock that is an hour behind.
        for (const at of [NOW + index * 1000, NOW + index * 1000, NOW - HOUR]) {
          assert.equal(await move(at), true);
          counts.push(await read());
        }
      }
      assert.deepEqual(counts, [
        0,
        ...[0, 1000, 2000].flatMap((at) => [at, at, at + 1])
          .map((after) => NOW + after),
      ]);
      const before = { proofBegunAt: counts.at(-2)! };
      assert.equal(await storage.insertSession(session("before", "ada"), before), null);
      const now = { proofBegunAt: counts.at(-1)! };
      assert.notEqual(await storage.insertSession(session("now", "ada"), now), null);
      assert.equal(await storage.credentialsCount("ada", before.proofBegunAt), false);
      assert.equal(await storage.credentialsCount("ada", now.proofBegunAt), true);
      // After the first proof of the mailbox none counts, until a password is set at whatever time.
      await storage.proveEmail("ada", { emailIdentity: MAILBOX, at: NOW });
      assert.equal(await read(), NEVER);
      await storage.setPassword({ userId: "ada", hash: "h3", changedAt: NOW });
      assert.equal(await read(), NOW);
    },
  "putSignUp() keeps the newest of a mailbox, and makes nobody": async (storage) => {
    for (const [index, hash] of ["t1", "t2", "t3", "t4"].entries()) {
      await storage.putSignUp(signUp(hash, { createdAt: NOW + index }), { keep: 3 });
    }
    for (const hash of ["other", "other2", "other3"]) {
      const newer = { emailIdentity: "eve@example.com", createdAt: NOW + 9 };
      await storage.putSignUp(signUp(hash, newer), { keep: 3 });
    }
    await storage.putSignUp(signUp("t4", { createdAt: NOW + 3 }), { keep: 3 });
    assert.deepEqual(await tokensOf(storage, ["t1", "t2", "t3", "t4", "other"]), [
      "t2",
      "t3",
      "t4",
      "other",
    ]);
    // Kept although others are newer: it has just been asked for.
    await storage.putSignUp(signUp("t5", { createdAt: NOW - 1 }), { keep: 1 });
    assert.deepEqual(await tokensOf(storage, ["t2", "t3", "t4", "t5", "other"]), ["t5", "other"]);
    assert.equal(await storage.findPassword(MAILBOX), null);
  },
  "readSignUp() gives back what is stored until it expires, also by the browser": async (
    storage,
  ) => {
    const full = signUp("t1", { name: "Ada", callbackUrl: "https://app.example/next" });
    await storage.putSignUp(full, { keep: 3 });
    await storage.putSignUp(signUp("t2", { createdAt: NOW + 1, browserHash: "other" }), {
      keep: 3,
    });
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await storage.readSignUp("t1", NOW), full);
    }
    assert.deepEqual(await storage.readSignUpOfBrowser("browser", NOW), full);
    const newest = signUp("t3", { createdAt: NOW + 2 });
    await storage.putSignUp(newest, { keep: 3 });
    assert.deepEqual(await storage.readSignUpOfBrowser("browser", NOW), newest);
    assert.equal(await storage.readSignUpOfBrowser("nobody's", NOW), null);
    assert.equal(await storage.readSignUp("t9", NOW), null);
    assert.equal(await storage.readSignUp("t1", NOW + HOUR), null);
    assert.equal(await storage.readSignUpOfBrowser("browser", NOW + HOUR), null);
  },
  "completeSignUp() makes the user with the password, and ends the other sign-ups of the mailbox":
    async (storage) => {
      for (const hash of ["t1", "t2"]) await storage.putSignUp(signUp(hash), { keep: 3 });
      await storage.putSignUp(signUp("other", { emailIdentity: "eve@example.com" }), { keep: 3 });
      const made = await storage.completeSignUp("t1", {
        record: proved("ada", MAILBOX, NOW + 1),
        hash: "chosen",
      });
      assert.equal(made, "made");
      const found = await storage.findPassword(MAILBOX);
      assert.deepEqual([found?.user.id, found?.hash], ["ada", "chosen"]);
      assert.deepEqual(found?.user.emailVerified, new Date(NOW + 1));
      assert.deepEqual(await tokensOf(storage, ["t1", "t2", "other"]), ["other"]);
      const again = { record: proved("again"), hash: "chosen" };
      assert.equal(await storage.completeSignUp("t1", again), "absent");
      assert.equal(await storage.getUser("again"), null);
    },
  "completeSignUp() makes nobody of a sign-up that has expired, or is another mailbox's": async (
    storage,
  ) => {
    await storage.putSignUp(signUp("t1"), { keep: 3 });
    await storage.putSignUp(signUp("t2", { expiresAt: NOW + 2 * HOUR }), { keep: 3 });
    const late = { record: proved("ada", MAILBOX, NOW + HOUR), hash: "h" };
    assert.equal(await storage.completeSignUp("t1", late), "absent");
    assert.deepEqual(await tokensOf(storage, ["t1", "t2"]), ["t1", "t2"]);
    const foreign = { record: proved("eve", "eve@example.com"), hash: "h" };
    await storage.putSignUp(signUp("t3", { emailIdentity: "eve@example.com" }), { keep: 3 });
    assert.equal(await storage.completeSignUp("t1", foreign), "absent");
    assert.deepEqual(await tokensOf(storage, ["t1", "t2", "t3"]), ["t1", "t2", "t3"]);
    assert.equal(await storage.getUser("eve"), null);
    assert.equal(
      await storage.completeSignUp("none", { record: proved("ada"), hash: "h" }),
      "absent",
    );
    assert.equal(await storage.getUser("ada"), null);
    assert.equal(await storage.readPassword("ada"), null);
  },
  // Tracks: R162
  "completeSignUp() leaves a user alone who has the mailbox by then": async (storage) => {
    for (const email of [MAILBOX, "eve@example.com"]) {
      const isDisabled = email !== MAILBOX;
      await storage.putSignUp(signUp(`t-${email}`, { emailIdentity: email }), { keep: 3 });
      await storage.createUserWithPassword(record({ id: `own-${email}`, email }), "own");
      if (isDisabled) await storage.disableUser(`own-${email}`, NOW);
      const record2 = { record: proved(`new-${email}`, email), hash: "stranger's" };
      assert.equal(await storage.completeSignUp(`t-${email}`, record2), "taken");
      const found = await storage.findPassword(email);
      assert.deepEqual([found?.user.id, found?.hash], [`own-${email}`, "own"]);
      assert.equal(found?.user.emailVerified, null);
      assert.equal(await storage.getUser(`new-${email}`), null);
      assert.equal(await storage.completeSignUp(`t-${email}`, record2), "absent");
    }
  },
});

/** Races about passwords and pending sign-ups that every storage must pass. */
export const PASSWORD_RACES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R011
  "replaceHash() replaces the hash that was read, and none that was set meanwhile": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada", email: MAILBOX }));
    await storage.setPassword({ userId: "ada", hash: "legacy", changedAt: NOW });
    await storage.insertSession(session("s", "ada"), { proofBegunAt: NOW });
    const outcomes = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) => storage.replaceHash("ada", { from: "legacy", to: `new-${index}` }),
      ),
    );
    assert.equal(outcomes.filter(Boolean).length, 1);
    const stored = await storage.readPassword("ada");
    assert.equal(stored?.hash, `new-${outcomes.indexOf(true)}`);
    assert.equal(stored?.changedAt, NOW);
    assert.notEqual(await storage.readSession("hash-of-s"), null, "it is the same password");
    assert.equal(await storage.replaceHash("nobody", { from: "legacy", to: "x" }), false);
  },
  // Tracks: F08
  "createUserWithPassword() makes one of several users with one mailbox at once": async (
    storage,
  ) => {
    const settled = await Promise.allSettled(
      Array.from(
        { length: 20 },
        (_, index) =>
          storage.createUserWithPassword(record({ id: `u${index}`, email: MAILBOX }), `h${index}`),
      ),
    );
    const made = settled.findIndex(({ status }) => status === "fulfilled");
    for (const one of settled) {
      if (one.status === "rejected") assert.ok(one.reason instanceof UserExistsError);
    }
    assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
    const found = await storage.findPassword(MAILBOX);
    assert.deepEqual([found?.user.id, found?.hash], [`u${made}`, `h${made}`]);
    for (const index of settled.keys()) {
      if (index !== made) assert.equal(await storage.readPassword(`u${index}`), null);
    }
  },
  // Tracks: F01, F08, R017
  "completeSignUp() makes one user of a hundred uses at once, of one link or of three": async (
    storage,
  ) => {
    for (const tokens of [["t1"], ["t1", "t2", "t3"]]) {
      const email = `of-${tokens.length}@example.com`;
      for (const token of tokens) {
        const hash = `${token}-of-${tokens.length}`;
        await storage.putSignUp(signUp(hash, { emailIdentity: email }), { keep: 3 });
      }
      const outcomes: SignUpOutcome[] = await Promise.all(
        Array.from(
          { length: 100 },
          (_, index) =>
            storage.completeSignUp(`${tokens[index % tokens.length]}-of-${tokens.length}`, {
              record: proved(`u${tokens.length}-${index}`, email),
              hash: `h${index}`,
            }),
        ),
      );
      const made = outcomes.indexOf("made");
      assert.equal(outcomes.filter((one) => one === "made").length, 1);
      const found = await storage.findPassword(email);
      assert.deepEqual([found?.user.id, found?.hash], [`u${tokens.length}-${made}`, `h${made}`]);
    }
  },
  // Tracks: R165, K4
  "setPassword() leaves no session to a check of before at the same time": async (storage) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      const before = { proofBegunAt: NOW - 1 };
      await start([
        () => storage.insertSession(session(`a${round}`, id), before),
        () => storage.setPassword({ userId: id, hash: "new", changedAt: NOW }),
        () => storage.insertSession(session(`b${round}`, id), before),
      ]);
      assert.deepEqual(await storage.listSessions(id, { now: NOW, limit: 5 }), []);
    });
  },
  // Tracks: R046, R165, K4
  "setPassword() by a session is done by one of several at once": async (storage) => {
    await repeat(async (round) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      await storage.insertSession(session(`s${round}`, id));
      const by = { exceptId: `s${round}`, bySession: true, proofBegunAt: NOW };
      const done = await Promise.all(
        rivals((index) =>
          storage.setPassword({ userId: id, hash: `h${index}`, changedAt: NOW + 1 }, by)
        ),
      );
      assert.equal(done.filter(Boolean).length, 1);
      assert.equal((await storage.readPassword(id))?.hash, `h${done.indexOf(true)}`);
    });
  },
  "putSignUp() leaves as many as it keeps when several are stored at once": async (storage) => {
    await repeat(async (round) => {
      const emailIdentity = `u${round}@example.com`;
      const hashes = rivals((index) => `t${round}-${index}`);
      await Promise.all(
        hashes.map((hash) => storage.putSignUp(signUp(hash, { emailIdentity }), { keep: 2 })),
      );
      assert.equal((await tokensOf(storage, hashes)).length, 2);
    });
  },
});
