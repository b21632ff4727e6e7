import assert from "node:assert/strict";
import { sqlite as sqliteDatabase } from "@framework/auth/sqlite";
import { createFaultyDatabase, LOST_MESSAGES } from "../../auth/tests/faulty_database.ts";
import {
  createMemoryStorage,
  createOidcProvider,
  getAccessToken,
  OAuthError,
  type RemoteKeys,
  resealSecrets,
  StorageUnavailableError,
} from "@framework/auth";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { createOAuthApplication, type OAuthApplication, ORIGIN } from "./application.ts";
import { answerOf, createFakeProvider, type FakeProvider } from "./fake_provider.ts";
import type { Visitor } from "./visitor.ts";

const HOUR = 3600 * 1000;

function codeOf(error: unknown): string {
  return error instanceof OAuthError ? error.code : String(error);
}

function accountOf({ sqlite }: OAuthApplication): Record<string, unknown> {
  return sqlite.prepare("SELECT * FROM accounts").get() as Record<string, unknown>;
}

interface Place extends OAuthApplication {
  fake: FakeProvider;
  ada: Visitor;
  /** Number of requests for new tokens at the provider. */
  refreshes(): number;
}

/** Ada has signed in with tokens that expire in an hour. */
async function createPlace(tokens: Record<string, unknown> = {}): Promise<Place> {
  const fake = createFakeProvider();
  const application = createOAuthApplication({
    providers: [fake.provider()],
    fetch: fake.fetch,
  });
  fake.people.set("first", fake.people.get("ada"));
  fake.tokens = { expires_in: 3600, refresh_token: "refresh-1", scope: "me", ...tokens };
  const ada = application.visitor();
  await ada.send(answerOf(await ada.start("fake"), "first"));
  const refreshes = () =>
    fake.calls.filter(({ body }) => body.get("grant_type") === "refresh_token").length;
  return { ...application, fake, ada, refreshes };
}

// Tracks: R104, F06
Deno.test("at a real provider that rotates, of twenty requests in two isolates one refreshes, and the grant lives on", async () => {
  const identity = await startIdentityProvider({
    redirectUris: [`${ORIGIN}/auth/callback/local`],
    configuration: {
      rotateRefreshToken: true,
      issueRefreshToken: () => Promise.resolve(true),
      ttl: { AccessToken: 3600, RefreshToken: 100_000, Grant: 100_000, Session: 100_000 },
    },
  });
  const local = { id: "local", name: "Local", issuer: identity.issuer, ...DEMO_CLIENT };
  const options = () => ({ providers: [createOidcProvider(local)] });
  const application = createOAuthApplication(options());
  const { clock, visitor } = application;
  const other = createOAuthApplication(options(), application);
  const ada = visitor();
  await ada.signIn("local");
  const first = await ada.run(() => getAccessToken("local"));
  const before = identity.requests.filter((path) => path === "/token").length;
  for (let round = 1; round <= 3; round++) {
    clock.shift = round * HOUR;
    const tokens = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) =>
          ada.run(() => getAccessToken("local"), index % 2 === 0 ? application.auth : other.auth),
      ),
    );
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], first);
    const userinfo = await fetch(`${identity.issuer}/me`, {
      headers: { authorization: `Bearer ${tokens[0]}` },
    });
    assert.equal((await userinfo.json()).sub, "ada");
    const calls = identity.requests.filter((path) => path === "/token").length;
    assert.equal(calls - before, round);
  }
  application.close();
  await identity.close();
});

Deno.test("getAccessToken() gives the token until a minute before its end, then a new one", async () => {
  const place = await createPlace();
  const { ada, clock, fake, refreshes, close } = place;
  clock.shift = HOUR - 65_000;
  assert.equal(await ada.run(() => getAccessToken("fake")), "first");
  assert.equal(refreshes(), 0);
  clock.shift = HOUR - 55_000;
  // A provider that neither rotates nor repeats the scope.
  fake.tokens = { expires_in: 3600, access_token: "second" };
  assert.equal(await ada.run(() => getAccessToken("fake")), "second");
  const { body, headers } = fake.calls.at(-1)!;
  assert.equal(body.get("refresh_token"), "refresh-1");
  assert.match(headers.get("authorization")!, /^Basic /);
  assert.equal(accountOf(place).scope, "me");
  clock.shift = 2 * HOUR;
  fake.tokens = { expires_in: 3600, access_token: "third", refresh_token: "refresh-2" };
  assert.equal(await ada.run(() => getAccessToken("fake")), "third");
  assert.equal(fake.calls.at(-1)!.body.get("refresh_token"), "refresh-1");
  clock.shift = 4 * HOUR;
  await ada.run(() => getAccessToken("fake"));
  assert.equal(fake.calls.at(-1)!.body.get("refresh_token"), "refresh-2");
  assert.equal(refreshes(), 3);
  close();
});

// Tracks: R104
Deno.test("tokens that live a minute are refreshed once for all, and not at each request", async () => {
  const { ada, clock, fake, refreshes, close } = await createPlace({ expires_in: 60 });
  for (
    const [at, times] of [[0, 0], [25_000, 0], [40_000, 1], [60_000, 1], [100_000, 2]] as const
  ) {
    clock.shift = at;
    fake.tokens.access_token = `token ${at}`;
    await Promise.all(Array.from({ length: 20 }, () => ada.run(() => getAccessToken("fake"))));
    assert.equal(refreshes(), times, String(at));
  }
  close();
});

// Tracks: R104, F06
Deno.test("a provider that takes its time is asked once by all who wait for it", async () => {
  const { ada, clock, fake, refreshes, close } = await createPlace();
  clock.shift = HOUR;
  fake.tokens.access_token = "second";
  fake.answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return undefined;
  };
  const asked = Array.from({ length: 20 }, () => ada.run(() => getAccessToken("fake")));
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(["second"]));
  assert.equal(refreshes(), 1);
  close();
});

Deno.test("getAccessToken() says who must do what when there is no token", async () => {
  const { ada, clock, visitor, close } = await createPlace({ refresh_token: undefined });
  const stranger = visitor();
  await assert.rejects(stranger.run(() => getAccessToken("fake")), /Sign in to continue/);
  await assert.rejects(ada.run(() => getAccessToken("nobody")), /no OAuth provider "nobody"/);
  await assert.rejects(
    ada.run(() => getAccessToken("fake", { providerAccountId: "another" })),
    (error) => codeOf(error) === "OAUTH_GRANT_LOST",
  );
  clock.shift = HOUR;
  await assert.rejects(
    ada.run(() => getAccessToken("fake")),
    (error) => codeOf(error) === "OAUTH_GRANT_LOST",
  );
  close();
  const bare = createOAuthApplication({
    providers: [createFakeProvider().provider()],
    ...{ secret: undefined } as never as object,
  });
  await assert.rejects(bare.visitor().run(() => getAccessToken("fake")), /`secret`/);
  bare.close();
});

// Tracks: F07, R104
Deno.test("a provider that does not answer costs no grant, and the next request goes on with it", async () => {
  const { ada, clock, fake, refreshes, close } = await createPlace();
  clock.shift = HOUR;
  fake.answer = () => Promise.reject(new TypeError("connection reset"));
  for (let turn = 0; turn < 2; turn++) {
    await assert.rejects(
      ada.run(() => getAccessToken("fake")),
      (error) => codeOf(error) === "OAUTH_UNAVAILABLE",
    );
  }
  fake.answer = null;
  fake.tokens.access_token = "second";
  assert.equal(await ada.run(() => getAccessToken("fake")), "second");
  assert.equal(refreshes(), 3);
  close();
});

// A provider that rotates takes a refresh token that comes again for stolen, and ends the grant.
Deno.test("a refresh that fails has failed for all who wait for it, in every isolate, and the next one asks again", async () => {
  const failures: [string, () => Response | Promise<Response>][] = [
    ["at once", () => new Response("<p>", { status: 500 })],
    ["a page", () => new Response("<p>", { headers: { "content-type": "text/html" } })],
    [
      "after a while",
      () =>
        new Promise((resolve) =>
          setTimeout(() => resolve(new Response(null, { status: 503 })), 200)
        ),
    ],
  ];
  for (const [what, fail] of failures) {
    const place = await createPlace();
    const { ada, auth, clock, fake, refreshes, close } = place;
    const other = createOAuthApplication(
      { providers: [fake.provider()], fetch: fake.fetch },
      place,
    );
    clock.shift = HOUR;
    fake.answer = fail;
    const asked = Array.from(
      { length: 8 },
      (_, index) => ada.run(() => getAccessToken("fake"), index % 2 === 0 ? auth : other.auth),
    );
    const outcomes = await Promise.allSettled(asked);
    for (const outcome of outcomes) {
      assert.ok(outcome.status === "rejected", what);
      assert.match(String(codeOf(outcome.reason)), /^OAUTH_(?:UNAVAILABLE|RESPONSE_INVALID)$/);
    }
    assert.equal(refreshes(), 1, what);
    fake.answer = null;
    fake.tokens.access_token = "second";
    assert.equal(await ada.run(() => getAccessToken("fake")), "second");
    close();
  }
});

/** An ID token that says this, without a signature: it comes from the token endpoint itself. */
function unsigned(claims: unknown): string {
  return `e30.${btoa(JSON.stringify(claims)).replace(/=+$/, "")}.e30`;
}

// Tracks: OpenID Connect Core, 12.2
Deno.test("refreshed tokens that come with an ID token of somebody else are refused, and none is stored", async () => {
  const fake = createFakeProvider();
  const issuer = "https://id.example";
  const identified = { sub: "1", name: "Ada" };
  const application = createOAuthApplication({
    providers: [fake.provider({
      issuer,
      jwks: { identify: () => () => Promise.resolve(identified) } as unknown as RemoteKeys,
      profile: (said) => ({ id: (said as { sub: string }).sub }),
    })],
    fetch: fake.fetch,
  });
  const { visitor, clock, close } = application;
  fake.tokens = { access_token: "first", expires_in: 3600, refresh_token: "refresh-1" };
  const ada = visitor();
  await ada.send(answerOf(await ada.start("fake"), "ada", { iss: issuer }));
  clock.shift = HOUR;
  const own = { iss: issuer, sub: "1", aud: "app" };
  const before = accountOf(application);
  for (
    const token of [
      "a.b.c",
      "nonsense",
      unsigned(null),
      unsigned({ ...own, sub: undefined }),
      unsigned({ ...own, iss: "https://other.example" }),
      unsigned({ ...own, aud: "another" }),
    ]
  ) {
    fake.tokens = { access_token: "other", refresh_token: "refresh-2", id_token: token };
    await assert.rejects(
      ada.run(() => getAccessToken("fake")),
      (error) => codeOf(error) === "OAUTH_RESPONSE_INVALID",
      token,
    );
    const { updated_at: _, ...now } = accountOf(application);
    const { updated_at: __, ...then } = before;
    assert.deepEqual(now, then);
  }
  fake.tokens = { access_token: "second", id_token: unsigned({ ...own, aud: ["app", "b"] }) };
  assert.equal(await ada.run(() => getAccessToken("fake")), "second");
  close();
});

// Tracks: F07
Deno.test("a grant that the provider has ended is asked for once, and a new sign-in brings another", async () => {
  // The second and the third are of providers that keep to no standard.
  for (const error of ["invalid_grant", "bad_refresh_token", "invalid_token"]) {
    const place = await createPlace();
    const { ada, clock, fake, refreshes, close } = place;
    clock.shift = HOUR;
    fake.answer = ({ body }) =>
      body.get("grant_type") === "refresh_token"
        ? Response.json({ error }, { status: 400 })
        : undefined;
    for (let turn = 0; turn < 5; turn++) {
      await assert.rejects(
        ada.run(() => getAccessToken("fake")),
        (lost) => codeOf(lost) === "OAUTH_GRANT_LOST",
      );
    }
    assert.equal(refreshes(), 1);
    const { access_token: access, refresh_token: refresh } = accountOf(place);
    assert.deepEqual([access, refresh], [null, null]);
    fake.answer = null;
    await ada.send(answerOf(await ada.start("fake"), "first"));
    assert.equal(await ada.run(() => getAccessToken("fake")), "first");
    close();
  }
});

// Tracks: F07, R104
Deno.test("an isolate that dies between the provider's answer and the database holds nobody up for long", async () => {
  const place = await createPlace();
  const { ada, clock, fake, sqlite, close } = place;
  clock.shift = HOUR;
  const sealed = String(accountOf(place).refresh_token);
  sqlite.prepare("UPDATE accounts SET refresh_token = ?").run(
    `lease ${Date.now() + clock.shift + 300} ${sealed}`,
  );
  fake.tokens = { access_token: "second", refresh_token: "refresh-2", expires_in: 3600 };
  const started = fake.calls.length;
  assert.equal(await ada.run(() => getAccessToken("fake")), "second");
  assert.equal(fake.calls.length - started, 1);
  assert.equal(String(accountOf(place).refresh_token).startsWith("1."), true);
  close();
});

// Tracks: F07, R104
Deno.test("a database that is gone for a moment when the provider has answered costs no grant", async () => {
  for (const when of ["before", "after"] as const) {
    const place = await createPlace();
    const { ada, clock, fake, refreshes, close } = place;
    const database = createFaultyDatabase(sqliteDatabase(place.sqlite));
    const faulty = createOAuthApplication({
      providers: [fake.provider()],
      fetch: fake.fetch,
      database,
    }, place);
    clock.shift = HOUR;
    fake.answer = ({ body }) => {
      if (body.get("grant_type") === "refresh_token") {
        database.faults.push({ when, message: LOST_MESSAGES[0]! }, {
          when,
          message: LOST_MESSAGES[1]!,
        });
      }
      return undefined;
    };
    fake.tokens = { access_token: "second", refresh_token: "refresh-2", expires_in: 3600 };
    assert.equal(await ada.run(() => getAccessToken("fake"), faulty.auth), "second", when);
    fake.answer = null;
    clock.shift = 3 * HOUR;
    await ada.run(() => getAccessToken("fake"));
    assert.equal(fake.calls.at(-1)!.body.get("refresh_token"), "refresh-2");
    assert.equal(refreshes(), 2);
    close();
  }
});

// Tracks: F07, R104, PF-v38
Deno.test("a token that the provider has changed is written again when the storage fails, four times in all", async () => {
  for (const failures of [1, 2, 3, 4]) {
    const storage = createMemoryStorage();
    const fake = createFakeProvider();
    let failing = 0;
    const database: typeof storage = {
      ...storage,
      swapAccountTokens: (...given) =>
        failing-- > 0
          ? Promise.reject(new StorageUnavailableError("The storage did not answer"))
          : storage.swapAccountTokens(...given),
    };
    const { clock, visitor, close } = createOAuthApplication({
      providers: [fake.provider()],
      fetch: fake.fetch,
      database,
    });
    fake.people.set("first", fake.people.get("ada"));
    fake.tokens = { expires_in: 3600, refresh_token: "refresh-1" };
    const ada = visitor();
    await ada.send(answerOf(await ada.start("fake"), "first"));
    clock.shift = HOUR;
    fake.answer = ({ body }) => {
      // The provider has answered: the token of before is dead.
      if (body.get("grant_type") === "refresh_token") failing = failures;
      return undefined;
    };
    fake.tokens = { access_token: "second", refresh_token: "refresh-2", expires_in: 3600 };
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((work: () => void) => setTimeout(work, 0)) as typeof setTimeout;
    const given = ada.run(() => getAccessToken("fake"));
    try {
      if (failures === 4) await assert.rejects(given, StorageUnavailableError);
      else assert.equal(await given, "second");
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    fake.answer = null;
    clock.shift = 3 * HOUR;
    await ada.run(() => getAccessToken("fake"));
    assert.equal(
      fake.calls.at(-1)!.body.get("refresh_token"),
      failures === 4 ? "refresh-1" : "refresh-2",
    );
    close();
  }
});

// Tracks: R104, F06, F22
Deno.test("nobody holds a grant while the provider is still being found", async () => {
  const identity = await startIdentityProvider({
    redirectUris: [`${ORIGIN}/auth/callback/local`],
    configuration: { issueRefreshToken: () => Promise.resolve(true), ttl: { AccessToken: 3600 } },
  });
  const local = { id: "local", name: "Local", issuer: identity.issuer, ...DEMO_CLIENT };
  const application = createOAuthApplication({ providers: [createOidcProvider(local)] });
  const held: boolean[] = [];
  const other = createOAuthApplication({
    providers: [createOidcProvider(local)],
    fetch(input, init) {
      const isToken = String(input).endsWith("/token");
      if (!isToken) held.push(String(accountOf(application).refresh_token).startsWith("lease"));
      return fetch(input, init);
    },
  }, application);
  const ada = application.visitor();
  await ada.signIn("local");
  application.clock.shift = HOUR;
  await ada.run(() => getAccessToken("local"), other.auth);
  assert.deepEqual(held, [false, false]);
  application.close();
  await identity.close();
});

// Tracks: CVE-2025-67490, CVE-2025-67716
Deno.test("two users who refresh at once get each their own token", async () => {
  const { ada, clock, fake, visitor, close } = await createPlace();
  const grace = visitor();
  fake.tokens.refresh_token = "refresh of grace";
  fake.people.set("hers", fake.people.get("grace"));
  await grace.send(answerOf(await grace.start("fake"), "hers"));
  clock.shift = HOUR;
  fake.answer = async ({ body }) => {
    const refresh = body.get("refresh_token");
    if (refresh === null) return undefined as never;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return Response.json({ access_token: `for ${refresh}`, token_type: "Bearer" });
  };
  const tokens = await Promise.all(
    Array.from(
      { length: 10 },
      (_, index) => (index % 2 ? ada : grace).run(() => getAccessToken("fake")),
    ),
  );
  assert.deepEqual(new Set(tokens.filter((_, index) => index % 2)), new Set(["for refresh-1"]));
  assert.deepEqual(
    new Set(tokens.filter((_, index) => index % 2 === 0)),
    new Set(["for refresh of grace"]),
  );
  close();
});

Deno.test("getAccessToken() gives the token of the provider that is asked for, and of no other", async () => {
  const fake = createFakeProvider();
  const application = createOAuthApplication({
    providers: [fake.provider(), fake.provider({ id: "other", name: "Other" })],
    fetch: fake.fetch,
  });
  const ada = application.visitor();
  await ada.send(answerOf(await ada.start("fake"), "ada"));
  await ada.send(answerOf(await ada.start("other", { intent: "link" }), "grace"));
  assert.equal(application.count("accounts"), 2);
  assert.equal(await ada.run(() => getAccessToken("fake")), "ada");
  assert.equal(await ada.run(() => getAccessToken("other")), "grace");
  const missing = (error: unknown) => codeOf(error) === "OAUTH_GRANT_LOST";
  await assert.rejects(
    ada.run(() => getAccessToken("other", { providerAccountId: "1" })),
    missing,
  );
  application.close();
});

// Tracks: R106
Deno.test("a sealed token that is moved to another account opens nothing there", async () => {
  const { ada, sqlite, visitor, close } = await createPlace();
  const grace = visitor();
  await grace.send(answerOf(await grace.start("fake"), "grace"));
  assert.equal(await grace.run(() => getAccessToken("fake")), "grace");
  const sealed = sqlite.prepare("SELECT user_id, access_token FROM accounts").all();
  for (const { user_id: userId } of sealed) {
    const other = sealed.find((row) => row.user_id !== userId)!;
    sqlite.prepare("UPDATE accounts SET access_token = ? WHERE user_id = ?")
      .run(other.access_token!, userId!);
  }
  for (const somebody of [ada, grace]) {
    await assert.rejects(
      somebody.run(() => getAccessToken("fake")),
      (error) => codeOf(error) === "OAUTH_GRANT_LOST",
    );
  }
  close();
});

// Tracks: R055, R106
Deno.test("tokens that were sealed with a secret that is gone are as good as none", async () => {
  const place = await createPlace();
  const { ada, fake, clock, close } = place;
  const rotated = createOAuthApplication({
    providers: [fake.provider()],
    fetch: fake.fetch,
    secret: ["another secret of at least 32 bytes!", "a secret of at least thirty-two bytes"],
  }, place);
  assert.equal(await ada.run(() => getAccessToken("fake"), rotated.auth), "first");
  const lost = createOAuthApplication({
    providers: [fake.provider()],
    fetch: fake.fetch,
    secret: "another secret of at least 32 bytes!",
  }, place);
  for (const shift of [0, HOUR]) {
    clock.shift = shift;
    await assert.rejects(
      ada.run(() => getAccessToken("fake"), lost.auth),
      (error) => codeOf(error) === "OAUTH_GRANT_LOST",
    );
  }
  // Nor are they thrown away: it may be an isolate that has not heard of the newest secret.
  fake.tokens = { access_token: "second", expires_in: 3600 };
  assert.equal(await ada.run(() => getAccessToken("fake")), "second");
  // What is sealed anew needs the older secret no more.
  assert.deepEqual(await resealSecrets(rotated.auth, {}), { resealed: 2, left: 0, unreadable: 0 });
  assert.equal(await ada.run(() => getAccessToken("fake"), lost.auth), "second");
  close();
});
