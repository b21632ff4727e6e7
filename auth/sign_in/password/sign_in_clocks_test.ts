import assert from "node:assert/strict";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { passwordChanged } from "../../session/users.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { type FoundPassword, passwordGroup } from "../../storage/passwords.ts";
import { createSqlRevocationStore } from "../../storage/revocations.ts";
import { groupOf } from "../../storage/storage.ts";
import { createD1Double } from "../../tests/d1_double.ts";
import { during, userAt } from "../../tests/during.ts";
import {
  cheapHasher,
  everyCookie,
  PASSWORD,
  type PasswordApplication,
  withPasswords,
} from "../../tests/password_application.ts";
import { SECRET } from "../../tests/token_application.ts";

const NEW = "another sentence of mine";
const EMAIL = "ada@example.com";

/** Two servers of one application, whose passwords' checks wait where the second one's are held. */
interface Servers {
  one: PasswordApplication;
  two: PasswordApplication;
  /** Holds the next check at the second server, and tells when it has begun. */
  hold(): { begun: Promise<void>; release(): void };
  label: string;
}

/** Runs a test for each kind of session and each distance of the second server's clock from the first one's. */
async function onTwoServers(test: (servers: Servers) => Promise<void>): Promise<void> {
  for (const kind of ["database", "jwt"] as const) {
    for (const ahead of [-10_000, -1000, 1000, 10_000]) {
      using database = disposable(createD1Double());
      const session = kind === "database"
        ? {}
        : { strategy: jwtSessions, revocation: createSqlRevocationStore(database) };
      const options = { database, secret: SECRET, session, rateLimit: false } as const;
      const own = cheapHasher();
      let gate: { entered(): void; opened: Promise<void> } | undefined;
      const hasher: typeof own = {
        ...own,
        async verify(...given) {
          const held = gate;
          gate = undefined;
          held?.entered();
          await held?.opened;
          return await own.verify(...given);
        },
      };
      const hold = () => {
        const entered = Promise.withResolvers<void>();
        const opened = Promise.withResolvers<void>();
        gate = { entered: entered.resolve, opened: opened.promise };
        return { begun: entered.promise, release: opened.resolve };
      };
      await withPasswords(
        (one) =>
          withPasswords(
            async (two) => {
              // The account is older than any distance of the clocks.
              await one.join(EMAIL);
              one.clock.now += 60_000;
              two.clock.now = one.clock.now + ahead;
              await test({ one, two, hold, label: `${kind}, ${ahead} ms` });
            },
            { hasher },
            options,
          ),
        {},
        options,
      );
    }
  }
}

function disposable(database: ReturnType<typeof createD1Double>) {
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}

/** The ways to end what an old password opens, each at the first server. The last one leaves the password as it is. */
const WAYS: Record<string, (one: PasswordApplication) => Promise<string>> = {
  async change(one) {
    const cookie = everyCookie(await one.byPassword(EMAIL, PASSWORD));
    const response = await one.send("/account/password", { fields: { password: NEW }, cookie });
    assert.equal(response.headers.get("location"), "https://app.example/");
    return NEW;
  },
  async reset(one) {
    const token = await one.askReset(EMAIL);
    const response = await one.send("/reset", { fields: { token, password: NEW } });
    assert.equal(response.status, 303);
    return NEW;
  },
  async passwordChanged(one) {
    const id = one.rows("users")[0]!.id as string;
    await during({ auth: one.auth }, undefined, () => passwordChanged(id));
    return PASSWORD;
  },
};

for (const [way, change] of Object.entries(WAYS)) {
  // Tracks: R165
  Deno.test(`a sign-in that another server checks ends by a ${way}, and the right password is taken at once, whatever the clocks say`, () =>
    onTwoServers(async ({ one, two, hold, label }) => {
      const { begun, release } = hold();
      const stolen = two.byPassword(EMAIL, PASSWORD);
      await begun;
      const password = await change(one);
      release();
      const late = await stolen;
      assert.equal(late.status, 401, label);
      assert.equal(await userAt({ auth: one.auth }, everyCookie(late)), null, label);
      for (const server of [two, one]) {
        const response = await server.byPassword(EMAIL, password);
        assert.equal(response.status, 303, label);
        assert.notEqual(await userAt({ auth: server.auth }, everyCookie(response)), null, label);
      }
    }));
}

// Tracks: R165
Deno.test("a password is changed at one server after the other, and the last one holds, whatever the clocks say", () =>
  onTwoServers(async ({ one, two, hold, label }) => {
    let password = PASSWORD;
    for (const [index, server] of [one, two, one, two].entries()) {
      const { begun, release } = hold();
      const stolen = two.byPassword(EMAIL, password);
      await begun;
      const cookie = everyCookie(await server.byPassword(EMAIL, password));
      password = `sentence ${index} of mine`;
      const response = await server.send("/account/password", { fields: { password }, cookie });
      assert.equal(response.status, 303, label);
      release();
      assert.equal((await stolen).status, 401, label);
      assert.equal((await one.byPassword(EMAIL, password)).status, 303, label);
    }
  }));

Deno.test("a storage of one's own that does not say from when on credentials count is a mistake, and nothing is changed", async () => {
  const database = createMemoryStorage();
  const storage = groupOf(database, passwordGroup);
  const find = storage.findPassword;
  await withPasswords(
    async ({ join, byPassword, send }) => {
      const cookie = await join();
      storage.findPassword = async (identity) => {
        const { credentialsAfter: _unknown, ...rest } = (await find(identity))!;
        return rest as FoundPassword;
      };
      const wrong = { code: "CONFIGURATION", message: /findPassword\(\) .* `credentialsAfter`/ };
      await assert.rejects(byPassword(EMAIL, PASSWORD), wrong);
      const change = send("/account/password", { fields: { password: NEW }, cookie });
      await assert.rejects(change, wrong);
      storage.findPassword = find;
      assert.equal((await byPassword(EMAIL, PASSWORD)).status, 303);
    },
    {},
    { database },
  );
});
