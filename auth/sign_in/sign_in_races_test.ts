import assert from "node:assert/strict";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { AuthOptions } from "../app/options.ts";
import { UserExistsError } from "../errors.ts";
import { administrationGroup } from "../storage/users.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { groupOf } from "../storage/storage.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { userAt } from "../tests/during.ts";
import { identityProvider } from "../tests/identity_provider.ts";
import { withMail } from "../tests/mail_application.ts";
import { createPasskeyBrowser } from "../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { credentials } from "./credentials.ts";
import { passkey } from "./passkey/provider.ts";

const JSON_PLEASE = { accept: "application/json" };
const OLD = { email: "old@example.com", verified: "true" };

/** Something that happens to an account while somebody signs in, once, when the application is asked. */
interface Meanwhile {
  happens: (() => Promise<unknown>) | null;
}

function createApplication(
  meanwhile: Meanwhile,
  options: Partial<AuthOptions> = {},
): TestApplication {
  return createTestApplication({
    providers: [
      passwordProvider(),
      passkey({ rpName: "The application", rpId: "app.example", origin: ORIGIN }),
      identityProvider("code"),
      identityProvider("chat"),
      identityProvider("email", { type: "email" }),
    ],
    rateLimit: false,
    callbacks: {
      async signIn() {
        const { happens } = meanwhile;
        meanwhile.happens = null;
        await happens?.();
        return true;
      },
    },
    ...options,
  });
}

/** Options for each session strategy. */
function strategies(): Partial<AuthOptions>[] {
  const revocation = createMemoryRevocationStore(() => Date.UTC(2026, 0, 1));
  const secret = "0123456789abcdef0123456789abcdef";
  return [{}, { secret, session: { strategy: jwtSessions, revocation } }];
}

function rowsOf({ database }: TestApplication, table: string): Record<string, unknown>[] {
  return database.sqlite.prepare(`SELECT * FROM ${table}`).all();
}

/** Stores the new address, as after its owner has proved it. */
async function changeAddress({ auth, clock }: TestApplication, id: string): Promise<void> {
  const email = "new@example.com";
  const user = { id, email, emailVerified: new Date(clock.now) };
  await groupOf(auth.storage({}), administrationGroup)
    .updateUser({ user, emailIdentity: email, at: clock.now });
}

async function refusalOf(response: Response): Promise<unknown> {
  assert.deepEqual(response.headers.getSetCookie(), []);
  return (await response.json()).code;
}

// Tracks: R101, F05
Deno.test("a sign-in by credentials does not undo a change of the address that came while the password was checked", async () => {
  for (const proved of [true, false]) {
    const provider = credentials({
      credentials: { name: { label: "Name", type: "text", required: true } },
      async authorize({ name }) {
        const row = { id: name!, email: "old@example.com" };
        application.clock.now += 50;
        if (changes) await change();
        return row;
      },
    });
    const application = createTestApplication({ providers: [provider], rateLimit: false });
    const { send, database } = application;
    let changes = false;
    await send("/signin/credentials", { fields: { name: "ada" } });
    const change = async () => {
      await changeAddress(application, "ada");
      if (!proved) database.sqlite.exec("UPDATE users SET email_verified = NULL");
      application.clock.now += 50;
    };
    changes = true;
    const response = await send("/signin/credentials", { fields: { name: "ada" } });
    assert.equal(await userAt(application, cookieOf(response)), "ada");
    const [user] = rowsOf(application, "users");
    assert.equal(user!.email, "new@example.com");
    assert.equal(user!.email_identity, "new@example.com");
    assert.equal(user!.email_verified !== null, proved);
    application.close();
  }
});

// Tracks: R101, F05
Deno.test("a provider's proof of the address that was kept does not undo a change of it", async () => {
  const meanwhile: Meanwhile = { happens: null };
  const application = createApplication(meanwhile);
  const { send } = application;
  const said = { sub: "7", email: "old@example.com" };
  await send("/signin/code", { fields: said });
  const id = rowsOf(application, "users")[0]!.id as string;
  meanwhile.happens = () => changeAddress(application, id);
  await send("/signin/code", { fields: { ...said, verified: "true" } });
  const [user] = rowsOf(application, "users");
  assert.deepEqual([user!.email, user!.email_identity], ["new@example.com", "new@example.com"]);
  application.close();
});

// Tracks: R100, R127, F05
Deno.test("an account that is unlinked while it signs in opens nothing of the user's, and is not linked to them again", async () => {
  for (const options of strategies()) {
    const meanwhile: Meanwhile = { happens: null };
    const application = createApplication(meanwhile, options);
    const { send } = application;
    const owner = cookieOf(await send("/signin/code", { fields: { sub: "owner", ...OLD } }));
    await send("/link/chat", { cookie: owner, fields: { sub: "thief" } });
    meanwhile.happens = async () => {
      const removed = { method: "DELETE", cookie: owner };
      assert.equal((await send("/accounts/chat/thief", removed)).status, 204);
    };
    const fields = { sub: "thief" };
    const response = await send("/signin/chat", { fields, headers: JSON_PLEASE });
    // It is nobody's by then, as for whoever comes for the first time.
    const cookie = cookieOf(response);
    assert.notEqual(await userAt(application, cookie), await userAt(application, owner));
    const accounts = rowsOf(application, "accounts");
    assert.deepEqual(accounts.map(({ provider }) => provider), ["code", "chat"]);
    assert.notEqual(accounts[1]!.user_id, accounts[0]!.user_id);
    application.close();
  }
});

// Tracks: R127, F05
Deno.test("a passkey that is removed while it signs in gets no session", async () => {
  for (const options of strategies()) {
    const meanwhile: Meanwhile = { happens: null };
    const application = createApplication(meanwhile, options);
    const authenticator = createSoftwareAuthenticator();
    const owner = createPasskeyBrowser(application);
    await owner.signIn();
    await owner.send("/link/code", { fields: { sub: "7" } });
    await owner.register(authenticator);
    meanwhile.happens = async () => {
      const [{ id }] = await (await owner.send("/passkeys")).json();
      assert.equal((await owner.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
    };
    const thief = createPasskeyBrowser(application);
    const response = await thief.prove(authenticator);
    assert.equal((await response.json()).code, "USER_UNAVAILABLE");
    assert.equal(await thief.user(), null);
    application.close();
  }
});

// Tracks: R101, F05
Deno.test("a mailbox that is no longer the user's when its proof is stored opens nothing", async () => {
  for (const options of strategies()) {
    for (const way of ["email", "code"]) {
      const meanwhile: Meanwhile = { happens: null };
      const application = createApplication(meanwhile, options);
      const { send } = application;
      await send("/signin/chat", { fields: { sub: "owner", ...OLD } });
      const id = rowsOf(application, "users")[0]!.id as string;
      meanwhile.happens = () => changeAddress(application, id);
      const fields = { sub: "thief", ...OLD };
      const response = await send(`/signin/${way}`, { fields, headers: JSON_PLEASE });
      assert.equal(await refusalOf(response), "USER_UNAVAILABLE", way);
      const accounts = rowsOf(application, "accounts").map((row) => row.provider_account_id);
      assert.deepEqual(accounts, ["owner"]);
      application.close();
    }
  }
});

// Tracks: R017, R102
Deno.test("an error of the signIn callback leaves the link of an email, which opens once", async () => {
  let once = true;
  await withMail(
    async ({ ask, confirm, outbox }) => {
      await ask("ada@example.com");
      const [mail] = outbox;
      const headers = JSON_PLEASE;
      const refused = await confirm({ mail: mail!, headers });
      assert.equal(await refusalOf(refused), "USER_EXISTS");
      assert.equal((await confirm({ mail: mail!, headers })).status, 200);
      assert.equal(await refusalOf(await confirm({ mail: mail!, headers })), "INVALID_LINK");
    },
    {},
    {
      callbacks: {
        signIn({ email }) {
          if (email?.verificationRequest || !once) return true;
          once = false;
          throw new UserExistsError();
        },
      },
    },
  );
});
