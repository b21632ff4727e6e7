import assert from "node:assert/strict";
import { ConfigurationError, InvalidEmailError, UserUnavailableError } from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import {
  createUser,
  deleteUser,
  disableUser,
  passwordChanged,
  updateUser,
} from "../session/users.ts";
import { getUser } from "../session/operations.ts";
import { accountGroup } from "../storage/accounts.ts";
import { groupOf } from "../storage/storage.ts";
import { createTestApplication, inVisit } from "../tests/application.ts";
import { createMailApplication } from "../tests/mail_application.ts";
import { createTokenApplication } from "../tests/token_application.ts";
import { NOW, session } from "../../testing/storage/records.ts";
import { verifiedEmail } from "../types/user.ts";
import { issueOneTimeToken, readOneTimeToken, redeemOneTimeToken } from "./one_time_token.ts";

const APPLICATIONS = {
  "a SQL database": () => createTestApplication(),
  "memory": () => createTestApplication({ database: createMemoryStorage() }),
};

/** Runs work in a request of an application with the user "ada", over each kind of storage. */
async function inRequest(
  work: (application: ReturnType<typeof createTestApplication>) => Promise<void>,
): Promise<void> {
  for (const create of Object.values(APPLICATIONS)) {
    const application = create();
    try {
      await inVisit(application, async () => {
        await createUser({ id: "ada", email: "ada@example.com" });
        await createUser({ id: "eve" });
        await work(application);
        return new Response();
      });
    } finally {
      application.close();
    }
  }
}

Deno.test("redeemOneTimeToken() gives back once what issueOneTimeToken() was given", () =>
  inRequest(async () => {
    const token = await issueOneTimeToken("change-email", "ada", { payload: "ada@new.example" });
    assert.match(token, /^[\w-]{43}$/);
    const expected = { userId: "ada", payload: "ada@new.example", ended: false };
    assert.deepEqual(await redeemOneTimeToken("change-email", token), expected);
    assert.equal(await redeemOneTimeToken("change-email", token), null);
  }));

// Tracks: R017, GHSA-hc7v-rggr-4hvx, F01, K5, PF-w01
Deno.test("of a hundred attempts to redeem one token at once, one succeeds", () =>
  inRequest(async () => {
    for (let round = 0; round < 20; round++) {
      const token = await issueOneTimeToken("reset", "ada");
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => redeemOneTimeToken("reset", token)),
      );
      assert.equal(answers.filter((one) => one !== null).length, 1);
    }
  }));

// Tracks: R019, GHSA-965c-763c-88jm, CVE-2026-4282
Deno.test("a token of one purpose is none of another and stays", () =>
  inRequest(async () => {
    const reset = await issueOneTimeToken("reset", "ada");
    const invite = await issueOneTimeToken("invite", "ada");
    assert.equal(await redeemOneTimeToken("invite", reset), null);
    assert.equal(await redeemOneTimeToken("reset", invite), null);
    assert.equal((await redeemOneTimeToken("reset", reset))!.userId, "ada");
    assert.equal((await redeemOneTimeToken("invite", invite))!.userId, "ada");
  }));

// Tracks: R019, GHSA-965c-763c-88jm, CVE-2026-4282
Deno.test("links, codes, the browser's secret and an application's tokens stand for nothing else", async () => {
  const application = createMailApplication({ code: true });
  const { ask, confirm, outbox, typeCode } = application;
  try {
    const asked = await ask("ada@example.com");
    const browser = /framework\.email=([\w-]+)/.exec(asked.headers.get("set-cookie")!)![1]!;
    await inVisit(application, async () => {
      await createUser({ id: "ada", email: "ada@example.com" });
      const email = "ada@example.com";
      for (const purpose of ["email-link", "email-code", "email-link-used", "reset"]) {
        for (const secret of [outbox[0]!.token, browser, outbox[0]!.code!]) {
          assert.equal(await redeemOneTimeToken(purpose, secret), null);
        }
        const own = await issueOneTimeToken(purpose, "ada", {
          payload: JSON.stringify({ address: email, callbackUrl: null, browser: "" }),
        });
        for (const token of [own, browser]) {
          assert.equal((await confirm({ fields: { token, email } })).status, 400);
        }
        for (const secret of [own, outbox[0]!.token]) {
          const typed = await typeCode(outbox[0]!.code!, `__Host-framework.email=${secret}`);
          assert.equal(typed.status, 400);
        }
        assert.equal((await redeemOneTimeToken(purpose, own))!.userId, "ada");
      }
      return new Response();
    });
    assert.equal((await confirm()).status, 303);
  } finally {
    application.close();
  }
});

// Tracks: R018
Deno.test("a token holds for maxAge to the millisecond, an hour by default", () =>
  inRequest(async ({ clock }) => {
    for (const [options, seconds] of [[{}, 3600], [{ maxAge: 60 }, 60]] as const) {
      for (const [offset, holds] of [[-1, true], [0, false]] as const) {
        const token = await issueOneTimeToken("reset", "ada", options);
        clock.now += seconds * 1000 + offset;
        assert.equal(await redeemOneTimeToken("reset", token) !== null, holds);
      }
    }
  }));

// Tracks: R020
Deno.test("the newest three tokens of a purpose and user hold, until one is redeemed", () =>
  inRequest(async ({ clock }) => {
    const tokens = [];
    for (let n = 0; n < 5; n++) {
      clock.now++;
      tokens.push(await issueOneTimeToken("reset", "ada"));
    }
    const other = await issueOneTimeToken("reset", "eve");
    const invite = await issueOneTimeToken("invite", "ada");
    assert.equal(await redeemOneTimeToken("reset", tokens[1]), null);
    assert.equal((await redeemOneTimeToken("reset", tokens[2]))!.userId, "ada");
    assert.equal(await redeemOneTimeToken("reset", tokens[4]), null);
    assert.equal((await redeemOneTimeToken("reset", other))!.userId, "eve");
    assert.equal((await redeemOneTimeToken("invite", invite))!.userId, "ada");
  }));

// Tracks: R016, K1
Deno.test("only the hash of a token is stored", async () => {
  const application = createTestApplication();
  await inVisit(application, async () => {
    await createUser({ id: "ada" });
    const token = await issueOneTimeToken("reset", "ada");
    const rows = application.database.sqlite.prepare("SELECT * FROM verifications").all();
    assert.equal(rows.length, 1);
    assert.equal(JSON.stringify(rows).includes(token.slice(0, 8)), false);
    return new Response();
  });
  application.close();
});

Deno.test("a token of a user who is disabled or gone stands for nobody, and none is made", () =>
  inRequest(async () => {
    const first = await issueOneTimeToken("reset", "ada");
    const second = await issueOneTimeToken("reset", "eve");
    await disableUser("ada");
    await deleteUser("eve");
    assert.equal(await redeemOneTimeToken("reset", first), null);
    assert.equal(await redeemOneTimeToken("reset", second), null);
    for (const id of ["ada", "eve", "nobody"]) {
      await assert.rejects(issueOneTimeToken("reset", id), UserUnavailableError);
    }
  }));

Deno.test("anything may come as a token; a wrong purpose or option is the developer's", () =>
  inRequest(async () => {
    for (const token of [undefined, null, "", "x", 1, {}, [], "A".repeat(43), "A".repeat(1e5)]) {
      assert.equal(await redeemOneTimeToken("reset", token), null);
    }
    for (const purpose of ["", "Reset", "a:b", "x".repeat(65), undefined as unknown as string]) {
      await assert.rejects(issueOneTimeToken(purpose, "ada"), ConfigurationError);
      await assert.rejects(redeemOneTimeToken(purpose, "x"), ConfigurationError);
    }
    for (
      const options of [{ maxAge: 0 }, { maxAge: 1.5 }, { maxAge: 1e9 }, {
        payload: "x".repeat(4097),
      }]
    ) {
      await assert.rejects(issueOneTimeToken("reset", "ada", options), ConfigurationError);
    }
  }));

// Tracks: R030
Deno.test("a reset by a token signs nobody in, ends sessions and the other tokens, and is reported", async () => {
  for (const create of Object.values(APPLICATIONS)) {
    const application = create();
    const cookie = await application.signIn("ada");
    const tokens: string[] = [];
    await inVisit(application, async () => {
      for (const purpose of ["reset", "reset", "invite"]) {
        tokens.push(await issueOneTimeToken(purpose, "ada"));
      }
      return new Response();
    });
    const [first, second, invite] = tokens;
    const response = await inVisit(application, async () => {
      const redeemed = await redeemOneTimeToken("reset", second);
      await passwordChanged(redeemed!.userId);
      assert.equal(getUser(), null);
      return new Response();
    }, { method: "POST" });
    assert.deepEqual(response.headers.getSetCookie(), []);
    await inVisit(application, async () => {
      assert.equal(getUser(), null, "whoever was signed in is not any more");
      assert.equal(await redeemOneTimeToken("reset", first), null);
      assert.equal(await redeemOneTimeToken("invite", invite), null);
      return new Response();
    }, { cookie });
    assert.ok(application.log.some(({ event }) => event === "password-changed"));
    application.close();
  }
});

// Tracks: R030
Deno.test("a token that was sent to a mailbox does not outlive that the user has another one", () =>
  inRequest(async () => {
    const [first, second] = [
      await issueOneTimeToken("reset", "ada"),
      await issueOneTimeToken("reset", "eve"),
    ];
    await updateUser("ada", { name: "Ada", email: "ADA@example.com" });
    assert.notEqual(await redeemOneTimeToken("reset", first), null, "the same mailbox");
    const next = await issueOneTimeToken("reset", "ada");
    await updateUser("ada", { email: "ada@new.example" });
    assert.equal(await redeemOneTimeToken("reset", next), null);
    assert.notEqual(await redeemOneTimeToken("reset", second), null, "another user's");
  }));

// Tracks: A-07
Deno.test("redeemOneTimeToken() proves an address that was kept without its identity, while nobody has it", () =>
  inRequest(async ({ auth }) => {
    const storage = groupOf(auth.storage({}), accountGroup);
    const email = "Eve@example.com";
    await auth.storage({}).insertSession(
      { ...session("s1", "kept"), tokenHash: "h" },
      { owner: { user: { id: "kept", email }, emailIdentity: null, at: NOW } },
    );
    const first = await issueOneTimeToken("confirm", "kept", { sentTo: email });
    await updateUser("eve", { email });
    assert.equal(await redeemOneTimeToken("confirm", first), null);
    assert.equal((await storage.getUserByEmail("eve@example.com"))?.id, "eve");
    await updateUser("eve", { email: null });
    const second = await issueOneTimeToken("confirm", "kept", { sentTo: email });
    assert.equal((await redeemOneTimeToken("confirm", second))?.ended, true);
    const proved = await storage.getUserByEmail("eve@example.com");
    assert.deepEqual([proved?.id, verifiedEmail(proved)], ["kept", email]);
  }));

// Tracks: R162, A-01
Deno.test("a token proves the address that it was sent to, while that is the user's own, and none without one", () =>
  inRequest(async ({ auth }) => {
    const verified = async () => (await auth.storage({}).getUser("ada"))!.emailVerified ?? null;
    const plain = await issueOneTimeToken("reset", "ada");
    assert.equal((await readOneTimeToken("reset", plain))?.ends, null);
    assert.deepEqual(await redeemOneTimeToken("reset", plain), {
      userId: "ada",
      payload: null,
      ended: false,
    });
    assert.equal(await verified(), null);
    const other = await issueOneTimeToken("change", "ada", { sentTo: "ada@new.example" });
    assert.equal(await readOneTimeToken("change", other), null);
    assert.equal(await redeemOneTimeToken("change", other), null);
    assert.equal(await verified(), null);
    const own = await issueOneTimeToken("reset", "ada", { sentTo: "ADA@Example.com" });
    const read = { password: true, passkeys: 0, accounts: [] };
    for (let time = 0; time < 2; time++) {
      assert.deepEqual((await readOneTimeToken("reset", own))?.ends, read);
    }
    assert.equal(await verified(), null, "to look at it proves nothing");
    assert.equal((await redeemOneTimeToken("reset", own))?.ended, true);
    assert.notEqual(await verified(), null);
    const again = await issueOneTimeToken("reset", "ada", { sentTo: "ada@example.com" });
    assert.equal((await readOneTimeToken("reset", again))?.ends, null);
    assert.equal((await redeemOneTimeToken("reset", again))?.ended, false);
    for (const nothing of [own, null, "", "A".repeat(43)]) {
      assert.equal(await readOneTimeToken("reset", nothing), null);
    }
  }));

// Tracks: R019, R165, F05
Deno.test("a token opens nothing for an address that is not the user's any more", () =>
  inRequest(async ({ auth }) => {
    const sentTo = "ada@example.com";
    // The address changes after the application has read it, and before it issues the token.
    await updateUser("ada", { email: "ada@new.example", emailVerified: new Date() });
    const late = await issueOneTimeToken("reset", "ada", { sentTo });
    assert.equal(await readOneTimeToken("reset", late), null);
    assert.equal(await redeemOneTimeToken("reset", late), null);
    // Kept as a provider said it, and another user's.
    const storage = auth.storage({});
    const at = NOW;
    await storage.createUser({ user: { id: "kept", email: sentTo }, emailIdentity: null, at });
    await updateUser("eve", { email: sentTo, emailVerified: new Date() });
    const kept = await issueOneTimeToken("reset", "kept", { sentTo });
    assert.equal(await redeemOneTimeToken("reset", kept), null);
  }));

// Tracks: R162, A-01
Deno.test("a token for another's address proves nothing for either", () =>
  inRequest(async ({ auth }) => {
    await updateUser("eve", { email: "eve@example.com" });
    const token = await issueOneTimeToken("reset", "ada", { sentTo: "eve@example.com" });
    assert.equal(await redeemOneTimeToken("reset", token), null);
    for (const id of ["ada", "eve"]) {
      assert.equal((await auth.storage({}).getUser(id))!.emailVerified ?? null, null);
    }
  }));

// Tracks: R030, R165, A-01
Deno.test("after a token that proves, the new password is stored and counts, whatever cookie the request brings", async () => {
  for (const create of Object.values(APPLICATIONS)) {
    const application = create();
    const cookie = await application.signIn("ada");
    const response = await inVisit(application, async () => {
      await updateUser("ada", { email: "ada@example.com" });
      const token = await issueOneTimeToken("reset", "ada", { sentTo: "ada@example.com" });
      assert.equal(getUser()?.id, "ada");
      assert.equal((await redeemOneTimeToken("reset", token))?.ended, true);
      assert.equal(getUser(), null, "the session of this request was of before");
      await passwordChanged("ada");
      return new Response();
    }, { method: "POST", cookie });
    assert.match(response.headers.getSetCookie().join(), /Max-Age=0/);
    application.clock.now += 10;
    assert.notEqual(await application.signIn("ada"), "");
    application.close();
  }
});

Deno.test("sentTo is an address, keepFor stands beside it, and both need sessions that can be ended", async () => {
  await inRequest(async () => {
    await assert.rejects(issueOneTimeToken("a", "ada", { sentTo: "ada" }), InvalidEmailError);
    for (const options of [{ keepFor: "current" }, { sentTo: "a@b.example", keepFor: "x" }]) {
      const wrong = options as { keepFor: "current" };
      await assert.rejects(issueOneTimeToken("a", "ada", wrong), /keepFor: "current" together/);
    }
  });
  const application = createTokenApplication();
  await inVisit(application, async () => {
    await createUser({ id: "ada", email: "ada@example.com" });
    await issueOneTimeToken("a", "ada");
    await assert.rejects(
      issueOneTimeToken("a", "ada", { sentTo: "ada@example.com" }),
      /createSqlRevocationStore/,
    );
    return new Response();
  });
  application.close();
});
