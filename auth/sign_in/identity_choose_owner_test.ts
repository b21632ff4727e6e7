import assert from "node:assert/strict";
import { AccountNotLinkedError, UserUnavailableError } from "../errors.ts";
import { createMemoryStorage, type MemoryStorage } from "../storage/memory.ts";
import { account, NOW, record } from "../../testing/storage/records.ts";
import { chooseOwner, type NamedIdentity } from "./identity.ts";

const OPTIONS = { at: NOW, revocable: true };

function identity(changes: Partial<NamedIdentity> = {}): NamedIdentity {
  return {
    provider: "code",
    providerAccountId: "7",
    type: "oauth",
    user: { email: "Ada@example.com", name: "Ada L." },
    emailVerified: true,
    trustEmail: true,
    ...changes,
  };
}

/** A storage with ada, whose address is proved, and bob, whose is not. */
async function storageWithUsers(): Promise<MemoryStorage> {
  const storage = createMemoryStorage();
  const proved = {
    id: "ada",
    email: "ada@example.com",
    emailVerified: new Date(NOW),
    role: "admin",
  };
  await storage.createUser(record(proved));
  await storage.createUser(record({ id: "bob", email: "bob@example.com" }));
  return storage;
}

const BOB = { email: "bob@example.com" };

// Tracks: R100, CVE-2023-3128
Deno.test("chooseOwner() goes by the account, whatever the addresses are", async () => {
  const storage = await storageWithUsers();
  await storage.linkAccount(account("code", "bob", { providerAccountId: "7" }));
  const { user, owner, proves } = await chooseOwner(storage, identity(), OPTIONS);
  assert.equal(user.id, "bob");
  assert.equal(user.email, "bob@example.com");
  assert.deepEqual(owner.user, { id: "bob", name: "Ada L." });
  assert.equal(proves, null);
});

// Tracks: R100, BA #8983
Deno.test("chooseOwner() takes the id at another provider for another identity", async () => {
  const storage = await storageWithUsers();
  await storage.linkAccount(account("code", "bob", { providerAccountId: "7" }));
  const other = identity({ provider: "chat", user: {}, emailVerified: false });
  const { user } = await chooseOwner(storage, other, OPTIONS);
  assert.notEqual(user.id, "bob");
});

// Tracks: R101
Deno.test("chooseOwner() joins a user when both have proved the address", async () => {
  const storage = await storageWithUsers();
  const { user, owner, proves } = await chooseOwner(storage, identity(), OPTIONS);
  assert.equal(user.id, "ada");
  // The application is asked about the user whom it knows, and a sign-in writes no address and no role.
  assert.equal(user.role, "admin");
  assert.deepEqual(owner, { user: { id: "ada", name: "Ada L." }, emailIdentity: null, at: NOW });
  assert.equal(proves, null);
});

// Tracks: R101, GHSA-g38m-r43w-p2q7, CVE-2024-38351
Deno.test("chooseOwner() joins a user who never proved the address only with its first proof", async () => {
  const storage = await storageWithUsers();
  const { user, proves } = await chooseOwner(storage, identity({ user: BOB }), OPTIONS);
  assert.deepEqual([user.id, proves], ["bob", "bob@example.com"]);
  await storage.linkAccount(account("code", "bob", { providerAccountId: "7" }));
  const linked = await chooseOwner(storage, identity({ user: BOB }), OPTIONS);
  assert.deepEqual([linked.user.id, linked.proves], ["bob", "bob@example.com"]);
});

// Tracks: R029
Deno.test("chooseOwner() joins nobody whose sessions could not be ended", async () => {
  const storage = await storageWithUsers();
  const options = { at: NOW, revocable: false };
  await assert.rejects(
    chooseOwner(storage, identity({ user: BOB }), options),
    AccountNotLinkedError,
  );
  assert.equal((await chooseOwner(storage, identity(), options)).user.id, "ada");
});

// Tracks: R101, BA #10003, A-07, SP-A2
Deno.test("chooseOwner() keeps an address that nobody vouches for, unproved and without its identity", async () => {
  const storage = await storageWithUsers();
  const ada = "Ada@example.com";
  const unproved: [changes: Partial<NamedIdentity>, kept: string | undefined][] = [
    [{ emailVerified: false }, ada],
    [{ emailVerified: "true" as unknown as boolean }, ada],
    [{ emailVerified: 1 as unknown as boolean }, ada],
    [{ emailVerified: undefined as unknown as boolean }, ada],
    [{ emailVerified: false, user: BOB }, BOB.email],
    [{ emailVerified: false, trustEmail: false }, ada],
    [{ emailVerified: true, trustEmail: false, user: BOB }, BOB.email],
    [{ emailVerified: true, trustEmail: false, user: { email: "n@example.com" } }, "n@example.com"],
    [{ emailVerified: true, user: { email: null } }, undefined],
    [{ emailVerified: true, user: { email: "ada@example.com,eve@evil.example" } }, undefined],
  ];
  for (const [changes, kept] of unproved) {
    const { user, owner, proves } = await chooseOwner(storage, identity(changes), OPTIONS);
    const where = JSON.stringify(changes);
    assert.ok(!["ada", "bob"].includes(user.id), where);
    assert.deepEqual([user.email, user.emailVerified], [kept, null], where);
    assert.deepEqual([owner.user.email, owner.user.emailVerified], [kept, null], where);
    assert.equal(owner.emailIdentity, null, where);
    assert.equal(proves, null, where);
    await storage.createUser(owner);
  }
  assert.equal((await storage.getUserByEmail("ada@example.com"))?.id, "ada");
});

// Tracks: A-07, R101
Deno.test("chooseOwner() proves a kept address by the word of a provider that is trusted since", async () => {
  const storage = await storageWithUsers();
  const email = "new@example.com";
  const user = { id: "new", email };
  await storage.createUser({ user, emailIdentity: null, at: NOW });
  await storage.linkAccount(account("code", "new", { providerAccountId: "7" }));
  const said = identity({ user: { email } });
  for (const trustEmail of [false, true]) {
    const { owner, user, proves } = await chooseOwner(storage, { ...said, trustEmail }, OPTIONS);
    const emailVerified = trustEmail ? new Date(NOW) : null;
    assert.deepEqual([user.id, user.emailVerified, proves], ["new", emailVerified, null]);
    assert.equal(owner.emailIdentity, trustEmail ? email : null);
    assert.equal(owner.user.email, trustEmail ? email : undefined);
  }
  // Whoever has the mailbox by then keeps it, and the user of the account stays as they are.
  await storage.createUser(record({ id: "owner", email }));
  const { owner, proves } = await chooseOwner(storage, said, OPTIONS);
  assert.deepEqual([owner.user.id, owner.user.email, proves], ["new", undefined, null]);
});

Deno.test("chooseOwner() has the application asked about a user as the sign-in leaves them", async () => {
  const storage = await storageWithUsers();
  const { user } = await chooseOwner(storage, identity({ user: BOB }), OPTIONS);
  assert.deepEqual([user.id, user.emailVerified], ["bob", new Date(NOW)]);
});

Deno.test("chooseOwner() makes a user with an address that is proved", async () => {
  const storage = await storageWithUsers();
  const fresh = identity({ user: { email: "New@example.com", name: "New", role: "member" } });
  const { owner } = await chooseOwner(storage, fresh, OPTIONS);
  const { id, ...rest } = owner.user;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    email: "New@example.com",
    name: "New",
    role: "member",
    emailVerified: new Date(NOW),
  });
  assert.equal(owner.emailIdentity, "new@example.com");
});

// Tracks: R101
Deno.test("chooseOwner() tells who has proved an address to link a provider that is not trusted", async () => {
  const storage = await storageWithUsers();
  await assert.rejects(
    chooseOwner(storage, identity({ trustEmail: false }), OPTIONS),
    AccountNotLinkedError,
  );
});

Deno.test("chooseOwner() lets no disabled user in", async () => {
  const storage = await storageWithUsers();
  await storage.linkAccount(account("code", "bob", { providerAccountId: "7" }));
  await storage.disableUser("bob", NOW);
  await assert.rejects(chooseOwner(storage, identity(), OPTIONS), UserUnavailableError);
});
