import assert from "node:assert/strict";
import type { RevocationStore } from "@framework/auth/storage";
import { type InSuite, inSuite } from "./suites.ts";

/** Checks one behaviour of an empty revocation store. */
export type RevocationCase = InSuite<(store: RevocationStore) => Promise<void>>;

/** After the present of every clock that runs these cases. */
const LATER = Date.UTC(2100, 0, 1);

// A moment ago: a store may end sessions that began longer ago than it allows.
const THEN = Date.now() - 60_000;

const ALONE: Record<string, RevocationCase> = inSuite("operations", {
  // Tracks: R056
  "revoke() ends one session, however often": async (store) => {
    const session = { id: "s1", userId: "ada", startedAt: THEN + 1000 };
    assert.equal(await store.isRevoked(session), false);
    await Promise.all([1, 2, 3].map((more) => store.revoke("s1", LATER + more)));
    assert.equal(await store.isRevoked(session), true);
    assert.equal(await store.isRevoked({ ...session, id: "s2" }), false);
    assert.equal(await store.isRevoked({ ...session, id: "ada", userId: "s1" }), false);
    assert.equal(await store.validFrom("ada"), 0);
  },
  // Tracks: R056
  "revokeUser() ends the sessions that began before, of this user": async (store) => {
    await store.revokeUser("ada", { before: THEN + 1000, until: LATER });
    const session = { id: "s1", userId: "ada", startedAt: THEN + 999 };
    assert.equal(await store.isRevoked(session), true);
    assert.equal(await store.isRevoked({ ...session, startedAt: THEN + 1000 }), false);
    assert.equal(await store.isRevoked({ ...session, userId: "eve" }), false);
    assert.equal(await store.validFrom("ada"), THEN + 1000);
    assert.equal(await store.validFrom("eve"), 0);
  },
  // Tracks: R056, F26
  "revokeUser() does not move the moment back": async (store) => {
    await store.revokeUser("ada", { before: THEN + 1000, until: LATER });
    await store.revokeUser("ada", { before: THEN + 500, until: LATER });
    assert.equal(await store.isRevoked({ id: "s1", userId: "ada", startedAt: THEN + 700 }), true);
    assert.equal(await store.validFrom("ada"), THEN + 1000);
  },
  // Tracks: R056
  "revokeUser() spares one session, which the next call does not": async (store) => {
    const spared = { id: "s1", userId: "ada", startedAt: THEN + 700 };
    const other = { id: "s2", userId: "ada", startedAt: THEN + 700 };
    await store.revokeUser("ada", { before: THEN + 1000, until: LATER, except: spared });
    assert.equal(await store.isRevoked(spared), false);
    assert.equal(await store.isRevoked(other), true);
    await store.revokeUser("ada", { before: THEN + 1000, until: LATER, except: spared });
    assert.equal(await store.isRevoked(spared), false);
    const later = { id: "s3", userId: "ada", startedAt: THEN + 1000 };
    await store.revokeUser("ada", { before: THEN + 2000, until: LATER, except: later });
    assert.equal(await store.isRevoked(later), false);
    assert.equal(await store.isRevoked(spared), true);
    await store.revokeUser("ada", { before: THEN + 2000, until: LATER });
    assert.equal(await store.isRevoked(later), true);
  },
  // Tracks: R056, F05
  "revokeUser() does not spare a session that is over already": async (store) => {
    const dead = { id: "s1", userId: "ada", startedAt: THEN + 700 };
    await store.revokeUser("ada", { before: THEN + 1000, until: LATER });
    await store.revokeUser("ada", { before: THEN + 1001, until: LATER, except: dead });
    assert.equal(await store.isRevoked(dead), true);
    const single = { id: "s2", userId: "ada", startedAt: THEN + 1001 };
    await store.revoke("s2", LATER);
    await store.revokeUser("ada", { before: THEN + 1002, until: LATER, except: single });
    assert.equal(await store.isRevoked(single), true);
  },
});

const AT_ONCE: Record<string, RevocationCase> = inSuite("races", {
  // Tracks: R056
  "claim() is the first once, of many at once, and ends what it names": async (store) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => store.claim!("s1", LATER)));
    assert.deepEqual(answers.filter(Boolean), [true]);
    assert.equal(await store.claim!("s1", LATER), false);
    assert.equal(await store.claim!("s2", LATER), true);
    assert.equal(await store.isRevoked({ id: "s1", userId: "ada", startedAt: THEN + 1000 }), true);
    await store.revoke("s3", LATER);
    assert.equal(await store.claim!("s3", LATER), false);
  },
});

/** Cases that every revocation store must pass. */
export const REVOCATION_CASES: Record<string, RevocationCase> = { ...ALONE, ...AT_ONCE };
