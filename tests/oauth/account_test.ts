import assert from "node:assert/strict";
import {
  accountEndpoints,
  type AuthEvent,
  type AuthOptions,
  ConfigurationError,
  createAuth,
  createMemoryStorage,
  credentials,
  endEverything,
  endSessions,
  jwtSessions,
  type OAuth2ProviderConfig,
  passkey,
  sealedTokens,
  secondFactor,
  StorageUnavailableError,
} from "@framework/auth";
import { createMemoryRevocationStore } from "@framework/auth/storage";
import { sealTokens } from "../../auth/sign_in/oauth/tokens.ts";
import { createInterruptions } from "../../auth/tests/interruptions.ts";
import { createOAuthApplication, type OAuthApplication, ORIGIN } from "./application.ts";
import { answerOf, createFakeProvider, type FakeProvider } from "./fake_provider.ts";
import { createVisitor, errorOf, type Visitor } from "./visitor.ts";

/** An application with two providers and passwords. */
function createPlace(
  options: Partial<AuthOptions> = {},
  config: Partial<OAuth2ProviderConfig> = {},
): OAuthApplication & { fake: FakeProvider } {
  const fake = createFakeProvider();
  const password = credentials({
    credentials: { email: { label: "Email", type: "email", required: true } },
    authorize: ({ email }) => Promise.resolve({ id: `user of ${email}`, email: email! }),
  });
  const application = createOAuthApplication({
    providers: [
      fake.provider(config),
      fake.provider({ id: "other", name: "Other", ...config }),
      password,
    ],
    fetch: fake.fetch,
    ...options,
  });
  return { ...application, fake };
}

async function signIn(visitor: Visitor, code: string, id = "fake"): Promise<string | null> {
  return await errorOf(await visitor.send(answerOf(await visitor.start(id), code)));
}

async function signInByPassword(visitor: Visitor, email: string): Promise<void> {
  const body = new URLSearchParams({ email });
  await visitor.send("/auth/signin/credentials", { method: "POST", body });
}

// Tracks: R100, CVE-2023-3128, BA #8983
Deno.test("the identity is the provider and the id there, never the address", async () => {
  const { visitor, fake, count, close } = createPlace();
  const [one, two, three] = [visitor(), visitor(), visitor()];
  assert.equal(await signIn(one, "ada"), null);
  assert.equal(await signIn(two, "ada", "other"), null);
  fake.people.set("mallory", { id: "3", name: "M", email: "ada@example.com", verified: true });
  assert.equal(await signIn(three, "mallory"), null);
  const ids = [await one.user(), await two.user(), await three.user()].map((user) => user!.id);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual([count("users"), count("accounts")], [3, 3]);
  // Another address, another name: the same person.
  fake.people.set("ada", { id: "1", name: "Ada L.", email: "new@example.com", verified: true });
  const again = visitor();
  assert.equal(await signIn(again, "ada"), null);
  assert.equal((await again.user())!.id, ids[0]);
  close();
});

// Tracks: R101, GHSA-g38m-r43w-p2q7, CVE-2026-53516, CVE-2026-35511, CVE-2024-38351
Deno.test("an account joins a user by address only when both have proved it and the provider is trusted", async () => {
  const proved = { id: "1", name: "Ada", email: "ada@example.com", verified: true };
  const unproved = { ...proved, verified: false };
  const cases: [string, boolean, object, boolean, boolean][] = [
    // what, trusted, what the provider says, whether the user has proved the address, joined
    ["all three", true, proved, true, true],
    ["provider not trusted", false, proved, true, false],
    ["not verified there", true, unproved, true, false],
    ["not trusted, not verified", false, unproved, true, false],
    ["neither verified", true, unproved, false, false],
  ];
  for (const [what, trustEmail, said, isProved, joins] of cases) {
    const { visitor, fake, sqlite, close } = createPlace({}, { trustEmail });
    fake.people.set("ada", said);
    const owner = visitor();
    await signInByPassword(owner, "ada@example.com");
    if (isProved) sqlite.exec("UPDATE users SET email_verified = 1");
    const id = (await owner.user())!.id;
    const ada = visitor();
    const error = await signIn(ada, "ada");
    const user = await ada.user();
    assert.equal(user?.id === id, joins, `${what}: ${error}`);
    if (!joins) assert.equal(user?.emailVerified ?? null, null, what);
    close();
  }
});

// Tracks: R101, GHSA-qq9h-g4jm-xgf3
Deno.test("whoever proves an address at a trusted provider takes nothing over from who never did", async () => {
  const { visitor, count, close } = createPlace({}, { trustEmail: true });
  const squatter = visitor();
  await signInByPassword(squatter, "ada@example.com");
  assert.notEqual(await squatter.user(), null);
  const ada = visitor();
  assert.equal(await signIn(ada, "ada"), null);
  assert.equal((await ada.user())?.email, "ada@example.com");
  assert.equal(await squatter.user(), null);
  assert.equal(count("sessions"), 1);
  close();
});

// Tracks: R102
Deno.test("before the application agrees nothing is stored, and when it does not, nothing at all", async () => {
  let verdict: boolean | string = false;
  const seen: unknown[] = [];
  const place: ReturnType<typeof createPlace> = createPlace({
    callbacks: {
      signIn({ user, account, profile }) {
        const rows = ["users", "accounts", "sessions"] as const;
        seen.push([user.name, account, profile, rows.map((table) => place.count(table))]);
        return verdict;
      },
    },
  });
  const { visitor, fake, count, close } = place;
  fake.tokens = { refresh_token: "next", expires_in: 60, scope: "me" };
  const ada = visitor();
  assert.equal(await signIn(ada, "ada"), "ACCESS_DENIED");
  verdict = "/waiting-list";
  const sent = await ada.send(answerOf(await ada.start("fake"), "ada"));
  assert.equal(sent.headers.get("location"), `${ORIGIN}/waiting-list`);
  assert.deepEqual([count("users"), count("accounts"), count("sessions")], [0, 0, 0]);
  const [name, account, profile, rows] = seen[0] as [
    string,
    Record<string, unknown>,
    unknown,
    unknown,
  ];
  const { expires_at: expires, ...rest } = account;
  assert.equal(name, "Ada");
  assert.equal(typeof expires, "number");
  assert.deepEqual(rest, {
    provider: "fake",
    providerAccountId: "1",
    type: "oauth",
    access_token: "ada",
    refresh_token: "next",
    token_type: "bearer",
    scope: "me",
  });
  assert.deepEqual(profile, fake.people.get("ada"));
  assert.deepEqual(rows, [0, 0, 0]);
  close();
});

// Tracks: R103
Deno.test("profile() that throws or names nobody lets nobody in", async () => {
  const answers: unknown[] = [
    null,
    undefined,
    "ada",
    [],
    {},
    { id: "" },
    { id: 5 },
    { id: null },
    { id: {} },
    { id: "a\u0000b" },
    { id: "x".repeat(256) },
    { id: "1", name: 5 },
    { id: "1", email: "not an address" },
    { id: "1", email: "a@x.example,b@x.example", emailVerified: new Date() },
    { id: "1", email: "a@x.example", emailVerified: "true" },
    Promise.resolve({ id: "1" }),
    new Error("canary"),
  ];
  for (const answer of answers) {
    const { visitor, count, log, close } = createPlace({}, {
      profile() {
        if (answer instanceof Error) throw answer;
        return answer as never;
      },
    });
    assert.equal(await signIn(visitor(), "ada"), "OAUTH_PROFILE_INVALID", JSON.stringify(answer));
    assert.deepEqual([count("users"), count("accounts"), count("sessions")], [0, 0, 0]);
    assert.ok(
      log.some(({ event, fields }) => event === "sign-in-failed" && fields.provider === "fake"),
    );
    close();
  }
});

// Tracks: A-04, R166
Deno.test("a provider's name of any length lets its owner in, and is stored as far as it fits", async () => {
  const { visitor, fake, sqlite, close } = createPlace({}, {
    profile: ({ id, name }) => ({ id, name, image: "http://x.example/a.png" }),
  });
  fake.people.set("ada", { id: "1", name: `Ada\n${"a".repeat(900_000)}` });
  assert.equal(await signIn(visitor(), "ada"), null);
  const row = sqlite.prepare("SELECT name, image FROM users").get()!;
  assert.deepEqual({ ...row }, { name: `Ada${"a".repeat(252)}`, image: null });
  close();
});

// Tracks: R101
Deno.test("without a database the identity is the user, with an address that is proved only where somebody vouches for it", async () => {
  for (const [trustEmail, verified] of [[true, true], [true, false], [false, true]] as const) {
    const fake = createFakeProvider();
    const log: { event: string; fields: Record<string, unknown> }[] = [];
    const note = (event: string, fields: Record<string, unknown>) =>
      void log.push({ event, fields });
    const auth = createAuth<unknown>({
      providers: [fake.provider({ trustEmail })],
      fetch: fake.fetch,
      baseUrl: ORIGIN,
      secret: "a secret of at least thirty-two bytes",
      session: { strategy: jwtSessions },
      logger: { info: note, warn: note, error: note },
    });
    fake.people.set("ada", { id: "1", name: "Ada", email: "ada@example.com", verified });
    const ada = createVisitor(auth, ORIGIN);
    assert.equal(await signIn(ada, "ada"), null);
    const { id, email, emailVerified, name } = (await ada.user())!;
    assert.deepEqual([id, name, email], ["fake:1", "Ada", "ada@example.com"]);
    const isProved = trustEmail && verified;
    assert.equal(emailVerified != null, isProved);
    const lines = log.filter(({ event }) => event === "email-kept-unproved");
    assert.deepEqual(
      lines.map(({ fields }) => [fields.provider, fields.trustEmail]),
      isProved ? [] : [["fake", trustEmail]],
    );
  }
});

// Tracks: F08
Deno.test("of twenty first sign-ins of one person at once all succeed, and one user is made", async () => {
  const { visitor, count, close } = createPlace();
  const visitors = Array.from({ length: 20 }, visitor);
  const answers = await Promise.all(
    visitors.map(async (one) => answerOf(await one.start("fake"), "ada")),
  );
  const codes = await Promise.all(
    visitors.map(async (one, index) => errorOf(await one.send(answers[index]!))),
  );
  assert.deepEqual(new Set(codes), new Set([null]));
  assert.deepEqual([count("users"), count("accounts"), count("sessions")], [1, 1, 20]);
  close();
});

Deno.test("a signed-in user links an account, and signs in with it from then on", async () => {
  const { visitor, count, log, close } = createPlace();
  const ada = visitor();
  await signInByPassword(ada, "ada@home.example");
  const id = (await ada.user())!.id;
  const start = await ada.start("fake", { intent: "link", callbackUrl: "/account" });
  const answer = await ada.send(answerOf(start, "ada"));
  assert.equal(answer.headers.get("location"), `${ORIGIN}/account`);
  assert.deepEqual([count("users"), count("accounts"), count("sessions")], [1, 1, 1]);
  assert.ok(log.some(({ event, fields }) => event === "account-linked" && fields.userId === id));
  const later = visitor();
  assert.equal(await signIn(later, "ada"), null);
  assert.equal((await later.user())?.id, id);
  // It is taken now, for everybody else.
  const grace = visitor();
  await signInByPassword(grace, "grace@home.example");
  const stolen = await grace.send(answerOf(await grace.start("fake", { intent: "link" }), "ada"));
  assert.equal(new URL(stolen.headers.get("location")!).pathname, "/auth/error");
  assert.equal(await errorOf(stolen), "ACCOUNT_TAKEN");
  assert.equal(count("accounts"), 1);
  close();
});

Deno.test("of what profile() maps an empty text is none, and a proof without an address proves nothing", async () => {
  const { visitor, fake, sqlite, close } = createPlace();
  fake.people.set("nameless", { id: "3", name: "", verified: true });
  assert.equal(await signIn(visitor(), "nameless"), null);
  const { name, email, email_verified: verified } = sqlite.prepare("SELECT * FROM users").get()!;
  assert.deepEqual([name, email, verified], [null, null, null]);
  close();
});

Deno.test("an answer whose code is empty asks nothing of the provider", async () => {
  const { visitor, fake, close } = createPlace();
  const ada = visitor();
  const code = await errorOf(await ada.send(answerOf(await ada.start("fake"), "")));
  assert.equal(code, "OAUTH_RESPONSE_INVALID");
  assert.deepEqual(fake.calls, []);
  close();
});

// The sign-in page would say that the provider has failed, and nobody would look for the error.
Deno.test("an error of the application's own is no failure of the provider: it is answered, and not led away", async () => {
  for (const error of [new StorageUnavailableError(), new ConfigurationError("wrong")]) {
    const { visitor, log, close } = createPlace({
      callbacks: { signIn: () => Promise.reject(error) },
    });
    const ada = visitor();
    const answer = answerOf(await ada.start("fake"), "ada");
    const response = await ada.send(answer).catch((thrown) => thrown);
    if (response instanceof Response) {
      assert.equal(response.status, error.status);
      assert.equal(response.headers.get("location"), null);
    } else assert.equal(response, error);
    assert.equal(log.some(({ event }) => event === "provider-failed"), false);
    assert.equal(await ada.user(), null);
    close();
  }
});

Deno.test("an account that could not be linked is told of with the user for whom it was to be", async () => {
  const told: AuthEvent[] = [];
  const { visitor, close } = createPlace({ events: { "*": (event) => void told.push(event) } });
  const ada = visitor();
  await signInByPassword(ada, "ada@home.example");
  const { id } = (await ada.user())!;
  const { searchParams } = new URL(await ada.start("fake", { intent: "link" }));
  const state = searchParams.get("state")!;
  told.length = 0;
  await ada.send(`${ORIGIN}/auth/callback/fake?error=access_denied&state=${state}`);
  assert.deepEqual(
    told.map(({ type, userId, code }: AuthEvent & { code?: string }) => [type, userId, code]),
    [["sign-in-failed", id, "OAUTH_DENIED"]],
  );
  close();
});

Deno.test("the provider is asked to answer below the base path, and its answer is taken there", async () => {
  const fake = createFakeProvider();
  const auth = createAuth<unknown>({
    providers: [fake.provider()],
    fetch: fake.fetch,
    baseUrl: ORIGIN,
    basePath: "/api/auth",
    database: createMemoryStorage(),
    logger: { info() {}, warn() {}, error() {} },
  });
  const begun = await auth.handle(
    new Request(`${ORIGIN}/api/auth/signin/fake`, {
      method: "POST",
      headers: { origin: ORIGIN, accept: "application/json" },
    }),
    {},
  );
  const { redirectTo } = await begun!.json();
  const redirectUri = new URL(redirectTo).searchParams.get("redirect_uri");
  assert.equal(redirectUri, `${ORIGIN}/api/auth/callback/fake`);
  const [cookie] = begun!.headers.getSetCookie().map((line) => line.split(";")[0]!);
  const answer = new Request(answerOf(redirectTo, "ada"), { headers: { cookie: cookie! } });
  assert.equal((await auth.handle(answer, {}))!.status, 303);
  const [call] = fake.calls;
  assert.equal(call!.body.get("redirect_uri"), redirectUri);
});

// Whoever ends them ends what has begun in them: the provider may have the visitor's consent by then.
Deno.test("a link that was begun ends with what its user has under way", async () => {
  const { auth, visitor, count, close } = createPlace();
  const ada = visitor();
  await signInByPassword(ada, "ada@home.example");
  const { id } = (await ada.user())!;
  const answer = answerOf(await ada.start("fake", { intent: "link" }), "ada");
  const request = new Request(`${ORIGIN}/`, { method: "POST", headers: { origin: ORIGIN } });
  await auth.run(request, {}, {}, async () => Response.json(await endEverything(id, ["links"])));
  assert.notEqual(await errorOf(await ada.send(answer)), null);
  assert.equal(count("accounts"), 0);
  close();
});

// Tracks: CVE-2025-68158
Deno.test("an account is linked for the session that asked for it and for no other", async () => {
  const { visitor, count, clock, close } = createPlace();
  const ada = visitor();
  const nobody = await ada.send("/auth/signin/fake", {
    method: "POST",
    body: new URLSearchParams({ intent: "link" }),
    headers: { accept: "application/json" },
  });
  assert.deepEqual([nobody.status, await errorOf(nobody)], [401, "UNAUTHENTICATED"]);
  await signInByPassword(ada, "ada@home.example");
  const signedOut = await ada.start("fake", { intent: "link" });
  await ada.send("/auth/signout", { method: "POST" });
  assert.equal(await errorOf(await ada.send(answerOf(signedOut, "ada"))), "OAUTH_LINK_SESSION");
  await signInByPassword(ada, "ada@home.example");
  const before = await ada.start("fake", { intent: "link" });
  await signInByPassword(ada, "ada@home.example");
  assert.equal(await errorOf(await ada.send(answerOf(before, "ada"))), "OAUTH_LINK_SESSION");
  const start = await (async () => {
    await signInByPassword(ada, "ada@home.example");
    return await ada.start("fake", { intent: "link" });
  })();
  await signInByPassword(ada, "mallory@home.example");
  assert.equal(await errorOf(await ada.send(answerOf(start, "ada"))), "OAUTH_LINK_SESSION");
  clock.shift = 11 * 60_000;
  const old = await ada.send("/auth/signin/fake", {
    method: "POST",
    body: new URLSearchParams({ intent: "link" }),
    headers: { accept: "application/json" },
  });
  assert.equal(await errorOf(old), "REAUTHENTICATION_REQUIRED");
  assert.equal(count("accounts"), 0);
  close();
});

// Tracks: R029, R040, PF-o40
Deno.test("an account is linked only while the session that asked for it is there, at every moment", async () => {
  let last = Infinity;
  let atWrite = false;
  for (let at = 0; at <= last; at++) {
    const storage = createMemoryStorage();
    const { over, record } = createInterruptions();
    const { visitor, close } = createPlace({ database: over(storage) });
    const ada = visitor();
    await signInByPassword(ada, "ada@home.example");
    const { id } = (await ada.user())!;
    const answer = answerOf(await ada.start("fake", { intent: "link" }), "ada");
    let ended = false;
    const work = async (): Promise<void> => {
      ended = true;
      await storage.deleteSessions(id);
    };
    const calls = await record(() => ada.send(answer), { at, work });
    const linked = (await storage.listAccounts(id)).length;
    const write = calls.indexOf("linkAccount");
    // The session is a condition of the write itself, so no moment is left between them.
    const isBefore = ended && (write === -1 || at <= write);
    assert.equal(linked, isBefore ? 0 : 1, `ended before ${calls[at]} of ${calls}`);
    if (isBefore && at === write) atWrite = true;
    if (!ended) last = at;
    close();
  }
  assert.ok(last > 3, "there were moments");
  assert.ok(atWrite, "one of them is right before the write");
});

// A signed token is in no table that the write could look at: the store of revocations is asked once more before it.
Deno.test("with signed tokens an account is linked only while the session that asked for it is not revoked", async () => {
  for (const isRevoked of [true, false]) {
    let end = () => Promise.resolve();
    const place = createPlace({
      session: { strategy: jwtSessions, revocation: createMemoryRevocationStore() },
      // Called when the session has been read, and before the account is linked.
      providerTokens: {
        ...sealedTokens,
        async definition(...values: Parameters<typeof sealTokens>) {
          await end();
          return await sealTokens(...values);
        },
      },
    });
    const { auth, visitor, count, close } = place;
    const ada = visitor();
    await signInByPassword(ada, "ada@home.example");
    const { id } = (await ada.user())!;
    const answer = answerOf(await ada.start("fake", { intent: "link" }), "ada");
    if (isRevoked) {
      end = async () => {
        const request = new Request(`${ORIGIN}/`, { method: "POST", headers: { origin: ORIGIN } });
        await auth.run(request, {}, {}, async () => {
          await endSessions(id);
          return new Response();
        });
      };
    }
    const code = await errorOf(await ada.send(answer));
    assert.deepEqual([code !== null, count("accounts")], isRevoked ? [true, 0] : [false, 1]);
    close();
  }
});

// Tracks: CVE-2025-68158
Deno.test("an answer in the address that comes without the session links nothing to it", async () => {
  const { visitor, count, close } = createPlace();
  const ada = visitor();
  await signInByPassword(ada, "ada@home.example");
  const answer = answerOf(await ada.start("fake", { intent: "link" }), "ada");
  const cookie = ada.jar.header(ORIGIN).split("; ").filter((pair) => pair.includes("oauth"));
  const response = await ada.send(answer, { headers: { cookie: cookie.join("; ") } });
  assert.equal(await errorOf(response), "OAUTH_LINK_SESSION");
  assert.deepEqual([count("sessions"), count("accounts")], [1, 0]);
  close();
});

Deno.test("linking at a provider that answers by a form asks the list of sessions", async () => {
  const { visitor, fake, sqlite, close } = createPlace({}, { responseMode: "form_post" });
  const ada = visitor();
  await signInByPassword(ada, "ada@home.example");
  const id = (await ada.user())!.id;
  for (const isThere of [false, true]) {
    const start = await ada.start("fake", { intent: "link" });
    if (!isThere) sqlite.exec("UPDATE sessions SET id = id || 'x'");
    const { origin, pathname, searchParams } = new URL(answerOf(start, "ada"));
    const callback = { url: origin + pathname, form: Object.fromEntries(searchParams) };
    const code = await errorOf(await ada.deliver(callback));
    assert.equal(code, isThere ? null : "OAUTH_LINK_SESSION");
  }
  const later = visitor();
  const start = answerOf(await later.start("fake"), "ada");
  const { origin, pathname, searchParams } = new URL(start);
  await later.deliver({ url: origin + pathname, form: Object.fromEntries(searchParams) });
  assert.equal((await later.user())?.id, id);
  assert.ok(fake.calls.length > 0);
  close();
});

// Tracks: R162, R174, R176
Deno.test("a link that was begun before its user had to have a second factor is not finished without one", async () => {
  for (const responseMode of ["query", "form_post"] as const) {
    let isStrict = false;
    const fake = createFakeProvider();
    const { visitor, sqlite, count, close } = createOAuthApplication({
      providers: [
        fake.provider({ responseMode }),
        credentials({
          credentials: { email: { label: "Email", type: "email", required: true } },
          authorize: ({ email }) => Promise.resolve({ id: "ada", email: email! }),
        }),
        passkey(),
        secondFactor({ sendMail: () => {}, required: () => isStrict }),
      ],
      fetch: fake.fetch,
    });
    const ada = visitor();
    await signInByPassword(ada, "ada@home.example");
    sqlite.exec(`INSERT INTO passkeys VALUES
      ('key', 'ada', 'handle', 'key', 0, '[]', 'singleDevice', 0, NULL, 1, NULL)`);
    for (isStrict of [true, false]) {
      const before: boolean = isStrict;
      isStrict = false;
      const start = await ada.start("fake", { intent: "link", callbackUrl: "/account" });
      isStrict = before;
      const { origin, pathname, searchParams } = new URL(answerOf(start, "ada"));
      const answer = await ada.deliver(
        responseMode === "query"
          ? { url: answerOf(start, "ada") }
          : { url: origin + pathname, form: Object.fromEntries(searchParams) },
      );
      const led = new URL(answer.headers.get("location")!);
      assert.equal(led.pathname, isStrict ? "/auth/second-factor" : "/account", responseMode);
      assert.equal(led.searchParams.get("callbackUrl"), isStrict ? "/" : null);
      assert.equal(count("accounts"), isStrict ? 0 : 1);
    }
    close();
  }
});

// Tracks: R106, R105, K1
Deno.test("the tokens of a provider are sealed in the database, or not kept without a secret", async () => {
  for (const isKept of [true, false]) {
    const { visitor, fake, sqlite, log, close } = createPlace(
      isKept ? {} : { secret: undefined } as never,
    );
    fake.people.set("canary-access", fake.people.get("ada"));
    fake.tokens = { refresh_token: "canary-refresh", id_token: "canary-id", expires_in: 60 };
    assert.equal(await signIn(visitor(), "canary-access"), null);
    const [account] = sqlite.prepare("SELECT * FROM accounts").all() as [Record<string, unknown>];
    assert.equal(JSON.stringify([account, log]).includes("canary"), false);
    assert.equal(account.access_token === null, !isKept);
    assert.equal(account.refresh_token === null, !isKept);
    close();
  }
});

Deno.test("without a database nothing is linked, and nobody is sent to the provider for it", async () => {
  const fake = createFakeProvider();
  const auth = createAuth<unknown>({
    providers: [fake.provider(), accountEndpoints()],
    fetch: fake.fetch,
    baseUrl: ORIGIN,
    secret: "a secret of at least thirty-two bytes",
    session: { strategy: jwtSessions },
  });
  const ada = createVisitor(auth, ORIGIN);
  assert.equal(await signIn(ada, "ada"), null);
  await assert.rejects(ada.start("fake", { intent: "link" }), ConfigurationError);
});
