import assert from "node:assert/strict";
import { passkey } from "../sign_in/passkey/provider.ts";
import { endSessions } from "../session/user_sessions.ts";
import { deleteUser } from "../session/users.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { createMemoryStorage, type MemoryStorage } from "../storage/memory.ts";
import {
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
  visit,
} from "./application.ts";
import { userAt } from "./during.ts";
import { identityProvider } from "./identity_provider.ts";
import { createInterruptions, type Interruptions } from "./interruptions.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "./passkey_browser.ts";
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from "../../testing/sign_in/software_authenticator.ts";
import { settle } from "./trips.ts";

const STRATEGIES = ["database", "jwt"] as const;
const VICTIM = "victim@example.com";
const JSON_PLEASE = { accept: "application/json" };

/** Mallory's account, in which he is signed in, and to which something happens meanwhile. */
interface Scene {
  application: TestApplication;
  storage: MemoryStorage;
  /** The browser in which mallory is signed in. */
  browser: PasskeyBrowser;
  /** A browser in which nobody is. */
  stranger: PasskeyBrowser;
  authenticator: SoftwareAuthenticator;
  /** Credential that the authenticator has made and nobody has sent yet. */
  credential: string;
  record: Interruptions["record"];
}

function setScene(strategy: typeof STRATEGIES[number]): Scene {
  const storage = createMemoryStorage();
  const revocation = createMemoryRevocationStore();
  const { over, record } = createInterruptions();
  const application = createTestApplication({
    database: over(storage),
    rateLimit: false,
    providers: [
      passwordProvider(),
      identityProvider("code"),
      identityProvider("chat"),
      identityProvider("email", { type: "email" }),
      passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
    ],
    ...(strategy === "jwt" && {
      secret: "s".repeat(32),
      session: { strategy: jwtSessions, revocation: over(revocation) },
    }),
  });
  const browser = createPasskeyBrowser(application);
  return {
    application,
    storage,
    browser,
    stranger: createPasskeyBrowser(application),
    authenticator: createSoftwareAuthenticator(),
    credential: "",
    record,
  };
}

/** Somebody has signed up with an address that is not theirs, or that they have proved. */
async function signUp({ storage, browser, application }: Scene, proved: boolean): Promise<void> {
  const at = application.clock.now;
  const user = { id: "mallory", email: VICTIM, ...(proved && { emailVerified: new Date(at) }) };
  await storage.createUser({ user, emailIdentity: VICTIM, at });
  await browser.signIn("mallory");
  application.clock.now += 1000;
}

/** A way in that is added, or used. */
interface Operation {
  /** Events before the interruption. */
  before?: (scene: Scene) => Promise<unknown>;
  run: (scene: Scene) => Promise<Response>;
  /** The call that adds it; null for one that signs in. */
  writes: string | null;
}

const OPERATIONS: Record<string, Operation> = {
  "an account that is linked": {
    run: ({ browser }) => browser.send("/link/chat", { fields: { sub: "evil" } }),
    writes: "linkAccount",
  },
  "a passkey that is added": {
    async before(scene) {
      const options = await scene.browser.registrationOptions();
      scene.credential = JSON.stringify(await scene.authenticator.create(options, ORIGIN));
    },
    run: ({ browser, credential }) => browser.send("/passkey/register", { fields: { credential } }),
    writes: "insertPasskey",
  },
  "a sign-in with a password": {
    run: ({ stranger }) =>
      stranger.send("/signin/credentials", { fields: { name: "mallory", password: "right" } }),
    writes: null,
  },
  "a sign-in with an account that was linked": {
    before: ({ browser }) => browser.send("/link/chat", { fields: { sub: "evil" } }),
    run: ({ stranger }) => stranger.send("/signin/chat", { fields: { sub: "evil" } }),
    writes: null,
  },
  "a sign-in with a passkey that was added": {
    async before(scene) {
      const { browser, stranger, authenticator } = scene;
      await browser.register(authenticator);
      const options = await stranger.signInOptions();
      scene.credential = JSON.stringify(await authenticator.get(options, ORIGIN));
    },
    run: ({ stranger, credential }) => stranger.send("/signin/passkey", { fields: { credential } }),
    writes: null,
  },
};

function cookieHeader({ cookies }: PasskeyBrowser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** Runs an operation once for each moment at which something may happen, and before and after all of them. */
async function atEveryMoment(
  strategy: typeof STRATEGIES[number],
  { operation, proved, happens, check }: {
    operation: Operation;
    proved: boolean;
    happens: (scene: Scene) => Promise<unknown>;
    check: (scene: Scene, moment: { name: string; at: number; calls: string[] }) => Promise<void>;
  },
): Promise<void> {
  let last = Infinity;
  for (let at = 0; at <= last; at++) {
    const scene = setScene(strategy);
    await signUp(scene, proved);
    await operation.before?.(scene);
    await settle();
    let happened = false;
    const work = async (): Promise<void> => {
      happened = true;
      await happens(scene);
    };
    const calls = await scene.record(() => operation.run(scene), { at, work });
    if (!happened) {
      last = at;
      await work();
    }
    const name = `before ${calls[at] ?? "nothing more"} (${at} of ${calls.length})`;
    await check(scene, { name, at, calls });
    scene.application.close();
  }
  assert.ok(last > 0, "there were moments");
}

for (const strategy of STRATEGIES) {
  for (const [what, operation] of Object.entries(OPERATIONS)) {
    for (const way of ["code", "email"]) {
      // Tracks: R029, R127, GHSA-qq9h-g4jm-xgf3, PF-p21, PF-w11, PF-o40
      Deno.test(`${what} is gone whenever the mailbox is proved meanwhile by "${way}" (${strategy})`, () =>
        atEveryMoment(strategy, {
          operation,
          proved: false,
          async happens({ application }) {
            const owner = createPasskeyBrowser(application);
            const fields = { sub: "owner", email: VICTIM, verified: "true" };
            const response = await owner.send(`/signin/${way}`, { fields });
            assert.ok(response.ok, await response.text());
            assert.equal(await owner.user(), "mallory");
          },
          async check({ application, storage, browser, stranger, authenticator }, { name }) {
            const accounts = await storage.listAccounts("mallory");
            assert.deepEqual(
              accounts.map(({ providerAccountId }) => providerAccountId),
              way === "code" ? ["owner"] : [],
              name,
            );
            assert.deepEqual(await storage.listPasskeys("mallory"), [], name);
            for (const one of [browser, stranger]) {
              assert.notEqual(await userAt(application, cookieHeader(one)), "mallory", name);
            }
            application.clock.now += 1000;
            const again = createPasskeyBrowser(application);
            await again.signIn("mallory");
            await again.send("/signin/chat", { fields: { sub: "evil" }, headers: JSON_PLEASE });
            assert.notEqual(await again.user(), "mallory", name);
            if (authenticator.credentials.length > 0) {
              const proof = await again.prove(authenticator);
              assert.equal(proof.ok, false, name);
            }
          },
        }));
    }

    // Tracks: R039, F05
    Deno.test(`${what} is gone whenever the user is deleted meanwhile (${strategy})`, () =>
      atEveryMoment(strategy, {
        operation,
        proved: true,
        happens: ({ application }) =>
          visit(application, async () => Response.json(await deleteUser("mallory"))),
        async check({ application, storage, browser, stranger }, { name }) {
          for (const one of [browser, stranger]) {
            const user = await userAt(application, cookieHeader(one));
            // Who has no account yet gets one by a provider or by a password, as at any time.
            if (one === browser) assert.equal(user, null, name);
          }
          if (operation.writes === null) return;
          assert.equal(await storage.getUser("mallory"), null, name);
          assert.deepEqual(await storage.listAccounts("mallory"), [], name);
          assert.deepEqual(await storage.listPasskeys("mallory"), [], name);
        },
      }));

    const { writes } = operation;
    if (writes === null) continue;
    // Tracks: R040, PF-o40, PF-p21, PF-w11
    Deno.test(`${what} needs a session that is there until the moment of the write (${strategy})`, () =>
      atEveryMoment(strategy, {
        operation,
        proved: true,
        happens: ({ application }) =>
          visit(application, async () => {
            await endSessions("mallory");
            return new Response();
          }),
        async check({ storage }, { name, at, calls }) {
          const added = [
            ...await storage.listAccounts("mallory"),
            ...await storage.listPasskeys("mallory"),
          ];
          const write = calls.indexOf(writes);
          if (write === -1 || at <= write) assert.deepEqual(added, [], name);
          // A session that is no row is asked again after the write, and what was added is removed.
          else if (strategy === "database") assert.equal(added.length, 1, name);
          else assert.ok(added.length <= 1, name);
        },
      }));
  }
}
