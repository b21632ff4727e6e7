import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { ConfigurationError } from "../errors.ts";
import { seal, unseal } from "../lib/keys.ts";
import { accountGroup, linkedAccountGroup } from "../storage/accounts.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { authSchema } from "../storage/schema.ts";
import { sealedGroup, type SealedStorage } from "../storage/sealed.ts";
import { secondFactorGroup } from "../storage/second_factors.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { sqlite } from "../storage/sqlite.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import { resealSecrets } from "./reseal.ts";

const OLD = "the old secret of at least 32 bytes";
const NEW = "the new secret of at least 32 bytes";
const NOW = Date.UTC(2026, 0, 1);

/** A storage of its own, and the file behind it. */
interface Place {
  storage: Storage;
  file?: DatabaseSync;
}

/** Something that the application has logged. */
interface Line {
  event: string;
  userId?: unknown;
  provider?: unknown;
}

async function inEach(work: (place: Place) => Promise<void>): Promise<void> {
  await work({ storage: createMemoryStorage() });
  using file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  await work({ storage: createSqlStorage(sqlite(file)), file });
}

async function addFactor(storage: Storage, userId: string, secret: string): Promise<void> {
  await storage.createUser({ user: { id: userId }, emailIdentity: null, at: NOW });
  const sealed = await seal(`totp of ${userId}`, {
    ...{ secrets: [secret], purpose: "second-factor", place: `totp\n${userId}` },
  });
  const factor = { userId, secret: sealed, lastStep: 0, createdAt: NOW, codes: [], replaces: null };
  assert.ok(await groupOf(storage, secondFactorGroup).putFactor(factor));
}

async function addTokens(
  storage: Storage,
  userId: string,
  secret: string,
  lease = "",
): Promise<void> {
  const options = {
    secrets: [secret],
    purpose: "provider-token",
    place: `hub\n${userId}`,
  } as const;
  const outcome = await groupOf(storage, linkedAccountGroup).linkAccount({
    ...{ provider: "hub", providerAccountId: userId, userId, type: "oauth", email: null },
    accessToken: await seal(`access of ${userId}`, options),
    refreshToken: lease + await seal(`refresh of ${userId}`, options),
    ...{ expiresAt: NOW, tokenType: "bearer", scope: null, createdAt: NOW, updatedAt: NOW },
  });
  assert.equal(outcome, "linked");
}

async function openFactor(
  storage: Storage,
  userId: string,
  secret: string,
): Promise<string | null> {
  const factor = await groupOf(storage, secondFactorGroup).readFactor(userId);
  const options = {
    secrets: [secret],
    purpose: "second-factor",
    place: `totp\n${userId}`,
  } as const;
  return await unseal(factor!.secret, options);
}

async function openTokens(storage: Storage, userId: string, secret: string) {
  const account = (await groupOf(storage, accountGroup).findAccount("hub", userId))!;
  const options = {
    secrets: [secret],
    purpose: "provider-token",
    place: `hub\n${userId}`,
  } as const;
  return await Promise.all(
    [account.accessToken, account.refreshToken].map((one) => unseal(one!, options)),
  );
}

function authOf(database: Storage, secret: string | string[], lines: Line[] = []) {
  const log = (event: string, fields: object) => void lines.push({ event, ...fields });
  const logger = { debug: log, info: log, warn: log, error: log };
  return createAuth({ database, secret, logger, now: () => NOW });
}

// Tracks: R106
Deno.test("resealSecrets() seals in portions what an older secret has sealed, and says how much is left", () =>
  inEach(async ({ storage }) => {
    for (const id of ["ada", "bob"]) await addFactor(storage, id, OLD);
    await addFactor(storage, "eve", NEW);
    for (const id of ["ada", "bob"]) await addTokens(storage, id, OLD);
    await addTokens(storage, "eve", NEW);
    const before = await groupOf(storage, secondFactorGroup).readFactor("eve");
    const auth = authOf(storage, [NEW, OLD]);
    assert.deepEqual(await resealSecrets(auth, {}, { limit: 1 }), {
      ...{ resealed: 1, left: 5, unreadable: 0 },
    });
    assert.deepEqual(await resealSecrets(auth, {}, { limit: 3 }), {
      ...{ resealed: 3, left: 2, unreadable: 0 },
    });
    assert.deepEqual(await resealSecrets(auth, {}), { resealed: 2, left: 0, unreadable: 0 });
    for (const id of ["ada", "bob", "eve"]) {
      assert.equal(await openFactor(storage, id, NEW), `totp of ${id}`);
      assert.deepEqual(await openTokens(storage, id, NEW), [`access of ${id}`, `refresh of ${id}`]);
    }
    assert.deepEqual(await groupOf(storage, secondFactorGroup).readFactor("eve"), before);
    // Without the old secret nothing is missing, and nothing is written again.
    assert.deepEqual(await resealSecrets(authOf(storage, NEW), {}), {
      ...{ resealed: 0, left: 0, unreadable: 0 },
    });
  }));

Deno.test("resealSecrets() comes to the end of more rows than a page has", () =>
  inEach(async ({ storage }) => {
    const sealed = groupOf(storage, sealedGroup);
    for (let index = 0; index < 1001; index++) await addFactor(storage, `u${index}`, OLD);
    const auth = authOf(storage, [NEW, OLD]);
    assert.deepEqual(await resealSecrets(auth, {}, { limit: 800 }), {
      ...{ resealed: 800, left: 201, unreadable: 0 },
    });
    assert.deepEqual(await resealSecrets(auth, {}), { resealed: 201, left: 0, unreadable: 0 });
    assert.equal((await sealed.pageFactorSecrets("", 2000)).length, 1001);
  }));

// Tracks: R106
Deno.test("resealSecrets() leaves what no secret opens as it is, and names it", () =>
  inEach(async ({ storage, file }) => {
    await addFactor(storage, "ada", OLD);
    await addFactor(storage, "bob", "a secret that nobody has any more, 32");
    await addFactor(storage, "eve", OLD);
    await addTokens(storage, "eve", OLD);
    const factors = groupOf(storage, secondFactorGroup);
    const sealed = groupOf(storage, sealedGroup);
    // One that was moved from another user's row, and one of which a letter was changed.
    const { secret: own } = (await factors.readFactor("eve"))!;
    const { secret: foreign } = (await factors.readFactor("ada"))!;
    assert.ok(await sealed.swapFactorSecret("eve", { from: own, to: foreign }));
    const [tokens] = await sealed.pageSealedTokens({ provider: "", providerAccountId: "" }, 1);
    const text = tokens!.accessToken!;
    const accessToken = text.slice(0, 20) + (text[20] === "A" ? "B" : "A") + text.slice(21);
    assert.ok(await sealed.swapSealedTokens(tokens!, { ...tokens!, from: NOW, accessToken }));
    const read = async () => [
      (await factors.readFactor("bob"))!.secret,
      (await factors.readFactor("eve"))!.secret,
      (await groupOf(storage, accountGroup).findAccount("hub", "eve"))!.accessToken,
    ];
    const before = await read();
    const lines: Line[] = [];
    const auth = authOf(storage, [NEW, OLD], lines);
    // The refresh token beside the damaged one, and the factor of Ada.
    assert.deepEqual(await resealSecrets(auth, {}), { resealed: 2, left: 0, unreadable: 3 });
    assert.deepEqual(await read(), before);
    const named = lines.filter(({ event }) => event === "sealed-value-unreadable");
    assert.deepEqual(named.map(({ userId, provider }) => [userId, provider]), [
      ["bob", "second-factor"],
      ["eve", "second-factor"],
      ["eve", "hub"],
    ]);
    assert.ok(!JSON.stringify(lines).includes(foreign), "no sealed value is logged");
    assert.equal((await openTokens(storage, "eve", NEW))[1], "refresh of eve");
    if (file === undefined) return;
    // What is no text at all is told of too, and hides no row behind it.
    file.exec("UPDATE second_factors SET secret = x'00ff' WHERE user_id = 'ada'");
    assert.deepEqual(await resealSecrets(auth, {}), { resealed: 0, left: 0, unreadable: 4 });
  }));

/** The storage, in front of whose writes something happens. */
function withRival(storage: Storage, rival: () => Promise<void>): Storage {
  const own = groupOf(storage, sealedGroup);
  const slow: SealedStorage = {
    ...own,
    swapFactorSecret: (...given) => rival().then(() => own.swapFactorSecret(...given)),
    swapSealedTokens: (...given) => rival().then(() => own.swapSealedTokens(...given)),
  };
  return {
    ...storage,
    group: (wanted) => wanted.name === "sealed" ? slow as never : storage.group!(wanted),
  };
}

// Tracks: R106
Deno.test("resealSecrets() writes over nothing that a user changes at the same moment", () =>
  inEach(async ({ storage }) => {
    await addFactor(storage, "ada", OLD);
    await addTokens(storage, "ada", OLD);
    const factors = groupOf(storage, secondFactorGroup);
    const accounts = groupOf(storage, linkedAccountGroup);
    let calls = 0;
    const rivalled = withRival(storage, async () => {
      if (calls++ === 0) {
        const other = { userId: "ada", secret: "another app", lastStep: 1, createdAt: NOW + 1 };
        assert.ok(await factors.putFactor({ ...other, codes: [], replaces: NOW }));
        return;
      }
      const fresh = { accessToken: "fresh", refreshToken: "fresh", expiresAt: NOW };
      const rest = { tokenType: "bearer", scope: null, from: NOW, at: NOW };
      assert.ok(await accounts.swapAccountTokens("hub", "ada", { ...fresh, ...rest }));
    });
    const counts = await resealSecrets(authOf(rivalled, [NEW, OLD]), {});
    assert.deepEqual(counts, { resealed: 0, left: 3, unreadable: 0 });
    assert.equal((await factors.readFactor("ada"))!.secret, "another app");
    const account = await groupOf(storage, accountGroup).findAccount("hub", "ada");
    assert.deepEqual([account!.accessToken, account!.refreshToken], ["fresh", "fresh"]);
  }));

// Tracks: R104, R106
Deno.test("resealSecrets() waits for a token that is being refreshed, whose new one would be lost", () =>
  inEach(async ({ storage }) => {
    await addFactor(storage, "ada", NEW);
    await addTokens(storage, "ada", OLD, `lease ${NOW - 30_000} `);
    await addFactor(storage, "bob", NEW);
    await addTokens(storage, "bob", OLD, `lease ${NOW - 120_000} `);
    const auth = authOf(storage, [NEW, OLD]);
    assert.deepEqual(await resealSecrets(auth, {}), { resealed: 2, left: 2, unreadable: 0 });
    const leased = await groupOf(storage, accountGroup).findAccount("hub", "ada");
    assert.match(leased!.refreshToken!, /^lease /);
    assert.equal(leased!.updatedAt, NOW);
    assert.deepEqual(await openTokens(storage, "bob", NEW), ["access of bob", "refresh of bob"]);
  }));

Deno.test("resealSecrets() says what is missing, and reads nothing then", async () => {
  const storage = createMemoryStorage();
  const without = createAuth({ database: storage });
  await assert.rejects(resealSecrets(without, {}), { code: "CONFIGURATION", field: "secret" });
  const { group: _, ...bare } = storage;
  await assert.rejects(resealSecrets(authOf(bare, NEW), {}), /no group "sealed"/);
  const auth = authOf(storage, NEW);
  for (const limit of [0, 1.5, 100_001, NaN, "5" as never]) {
    await assert.rejects(resealSecrets(auth, {}, { limit }), ConfigurationError);
  }
  await assert.rejects(resealSecrets(auth, {}, { max: 5 } as never), ConfigurationError);
});
