import assert from "node:assert/strict";
import { createAuth, createMemoryStorage, defaultTheme, jwtSessions } from "@framework/auth";
import { createOAuthApplication, ORIGIN } from "./application.ts";
import { answerOf, createFakeProvider, type FakeProvider } from "./fake_provider.ts";
import { createVisitor, errorOf, type Visitor } from "./visitor.ts";

interface Place {
  fake: FakeProvider;
  clock: { shift: number };
  visitor(): Visitor;
}

const SECRET = "a secret of at least thirty-two bytes";

/** The same application where transactions are rows, and where they are sealed cookies. */
function withPlaces(test: (place: Place, where: string) => Promise<void>): () => Promise<void> {
  return async () => {
    for (const where of ["rows", "memory", "cookies"]) {
      const fake = createFakeProvider();
      const providers = [
        fake.provider(),
        fake.provider({ id: "other", name: "Other" }),
      ];
      const { fetch } = fake;
      if (where === "rows") {
        const application = createOAuthApplication({ providers, fetch });
        await test({ fake, ...application }, where);
        application.close();
        continue;
      }
      const clock = { shift: 0 };
      const auth = createAuth<unknown>({
        pages: { theme: defaultTheme },
        providers,
        fetch,
        baseUrl: ORIGIN,
        secret: SECRET,
        now: () => Date.now() + clock.shift,
        session: { strategy: jwtSessions },
        ...where === "memory" && { database: createMemoryStorage() },
      });
      await test({ fake, clock, visitor: () => createVisitor(auth, ORIGIN) }, where);
    }
  };
}

const tokenCalls = ({ calls }: FakeProvider): number =>
  calls.filter(({ url }) => url.endsWith("/token")).length;

// Tracks: R086, CVE-2023-31999
Deno.test(
  "five tabs sign in side by side, in any order",
  withPlaces(async ({ visitor, fake }, where) => {
    const ada = visitor();
    const starts = [];
    for (let tab = 0; tab < 5; tab++) {
      starts.push(await ada.start("fake", { callbackUrl: `/${tab}` }));
    }
    assert.equal(new Set(starts.map((start) => new URL(start).searchParams.get("state"))).size, 5);
    for (const tab of [3, 0, 4, 1, 2]) {
      const response = await ada.send(answerOf(starts[tab]!, "ada"));
      assert.equal(response.headers.get("location"), `${ORIGIN}/${tab}`, where);
    }
    assert.equal(tokenCalls(fake), 5);
    assert.equal((await ada.user())?.name, "Ada");
  }),
);

// Tracks: R085, CVE-2023-27490, GHSA-wxw3-q3m9-c3jr, CVE-2026-67335, BA #8897, BA #8949, CVE-2025-68158, openauth OidcProvider
Deno.test(
  "an answer without its state, with another, or in another browser asks nothing of the provider",
  withPlaces(async ({ visitor, fake }, where) => {
    const ada = visitor();
    const start = await ada.start("fake");
    const answer = answerOf(start, "ada");
    const cases: [string, Visitor, string, string][] = [
      ["no state", ada, answer.replace(/&state=[^&]+/, ""), "OAUTH_STATE_MISSING"],
      ["empty state", ada, answer.replace(/&state=[^&]+/, "&state="), "OAUTH_STATE_UNKNOWN"],
      ["another state", ada, answer.replace(/.$/, "~"), "OAUTH_STATE_UNKNOWN"],
      [
        "unknown state",
        ada,
        answer.replace(/state=.{43}/, `state=${"x".repeat(43)}`),
        "OAUTH_STATE_UNKNOWN",
      ],
      [
        "another browser",
        visitor(),
        answer,
        where === "cookies" ? "OAUTH_STATE_UNKNOWN" : "OAUTH_STATE_FOREIGN",
      ],
    ];
    for (const [what, browser, url, code] of cases) {
      const response = await browser.send(url);
      assert.equal(await errorOf(response), code, `${where}: ${what}`);
      const json = await browser.send(url, { headers: { accept: "application/json" } });
      assert.equal(json.status, code === "OAUTH_STATE_FOREIGN" ? 403 : 400);
    }
    assert.equal((await ada.send(`${answer}&state=x`)).status, 400);
    assert.deepEqual(fake.calls, []);
    assert.equal(await errorOf(await ada.send(answer)), null, where);
    assert.equal((await ada.user())?.name, "Ada");
  }),
);

// Tracks: R087, GHSA-x445-f3h2-j279, CVE-2026-73419
Deno.test(
  "a sign-in that began at one provider does not end at another",
  withPlaces(async ({ visitor, fake }, where) => {
    const ada = visitor();
    const answer = answerOf(await ada.start("fake"), "ada");
    const elsewhere = answer.replace("/callback/fake", "/callback/other");
    assert.equal(await errorOf(await ada.send(elsewhere)), "OAUTH_STATE_FOREIGN", where);
    assert.deepEqual(fake.calls, []);
    assert.equal(await ada.user(), null);
  }),
);

// Tracks: R086, K10, F26
Deno.test(
  "a sign-in may take ten minutes and not longer",
  withPlaces(async ({ visitor, clock, fake }, where) => {
    const ada = visitor();
    const [one, two, three] = [
      await ada.start("fake"),
      await ada.start("fake"),
      await ada.start("fake"),
    ];
    clock.shift = 10 * 60_000 - 5_000;
    assert.equal(await errorOf(await ada.send(answerOf(one!, "ada"))), null, where);
    clock.shift = 10 * 60_000;
    assert.equal(
      await errorOf(await ada.send(answerOf(two!, "ada"))),
      "OAUTH_STATE_EXPIRED",
      where,
    );
    assert.equal(
      await errorOf(await ada.send(answerOf(two!, "ada"))),
      "OAUTH_STATE_UNKNOWN",
      where,
    );
    clock.shift = 21 * 60_000;
    const late = await errorOf(await ada.send(answerOf(three!, "ada")));
    assert.equal(late, where === "cookies" ? "OAUTH_STATE_EXPIRED" : "OAUTH_STATE_UNKNOWN", where);
    assert.equal(tokenCalls(fake), 1);
  }),
);

Deno.test(
  "more sign-ins than anybody has open take the oldest cookies away",
  withPlaces(async ({ visitor }) => {
    const ada = visitor();
    const starts = [];
    for (let tab = 0; tab < 12; tab++) starts.push(await ada.start("fake"));
    assert.equal(ada.jar.lines("localhost:8787").size, 8);
    assert.notEqual(await errorOf(await ada.send(answerOf(starts[0]!, "ada"))), null);
    assert.equal(await errorOf(await ada.send(answerOf(starts[11]!, "ada"))), null);
  }),
);

// Tracks: R077, CVE-2025-67490, CVE-2025-67716
Deno.test(
  "no sign-in at a provider leads elsewhere than to the application, whether it works or not",
  withPlaces(async ({ visitor }, where) => {
    for (const callbackUrl of ["https://evil.example/", "//evil.example", "/\\evil.example"]) {
      const ada = visitor();
      const start = await ada.start("fake", { callbackUrl });
      assert.equal(start.includes("evil"), false);
      const refused = await ada.send(answerOf(start, "ada", { error: "access_denied" }));
      assert.equal(await errorOf(refused), "OAUTH_DENIED");
      assert.equal(refused.headers.get("location")!.includes("evil"), false);
      const answer = await ada.send(answerOf(await ada.start("fake", { callbackUrl }), "ada"));
      assert.equal(answer.headers.get("location"), `${ORIGIN}/`, where);
    }
  }),
);

// Tracks: R098
Deno.test("looking whether the callback is there does not use up the sign-in", async () => {
  const fake = createFakeProvider();
  const { fetch } = fake;
  const application = createOAuthApplication({ providers: [fake.provider()], fetch });
  const ada = application.visitor();
  const answer = answerOf(await ada.start("fake"), "ada");
  assert.equal((await ada.send(answer, { method: "HEAD" })).status, 405);
  assert.equal(await errorOf(await ada.send(answer)), null);
  application.close();
});

// Tracks: R089, R084, GHSA-569q
Deno.test("the address to come back to is the application's own, per provider, and the same in both requests", async () => {
  const fake = createFakeProvider();
  const { fetch } = fake;
  const providers = [fake.provider(), fake.provider({ id: "other", parameters: { a: "b" } })];
  const application = createOAuthApplication({ providers, fetch });
  for (const id of ["fake", "other"]) {
    const ada = application.visitor();
    const start = await ada.send(`http://evil.example/auth/signin/${id}`, {
      method: "POST",
      headers: { host: "evil.example", "x-forwarded-host": "evil.example", origin: ORIGIN },
    });
    const location = start.headers.get("location")!;
    const uri = `${ORIGIN}/auth/callback/${id}`;
    const { searchParams } = new URL(location);
    assert.equal(searchParams.get("redirect_uri"), uri);
    assert.equal(searchParams.get("audience"), "x");
    assert.equal(searchParams.getAll("state").length, 1);
    assert.notEqual(searchParams.get("state"), "planted");
    const cookie = start.headers.getSetCookie()[0]!.split(";")[0]!;
    await ada.send(answerOf(location, "ada"), { headers: { cookie } });
    const { body, headers } = fake.calls.find(({ url }) => url.endsWith("/token"))!;
    assert.equal(body.get("redirect_uri"), uri);
    assert.equal(body.get("grant_type"), "authorization_code");
    assert.match(body.get("code_verifier")!, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(headers.get("authorization"), `Basic ${btoa("app:a+secret")}`);
    assert.equal(headers.get("user-agent"), "@framework/auth");
    fake.calls.length = 0;
  }
  application.close();
});

// Tracks: R016, R105, K1, GHSA-965c-763c-88jm
Deno.test("the database holds nothing of a sign-in under way that could be used", async () => {
  const fake = createFakeProvider();
  const { fetch } = fake;
  const application = createOAuthApplication({ providers: [fake.provider()], fetch });
  const ada = application.visitor();
  const start = await ada.start("fake", { callbackUrl: "/welcome" });
  const rows = JSON.stringify(application.sqlite.prepare("SELECT * FROM verifications").all());
  const { searchParams } = new URL(start);
  const cookie = ada.jar.header(ORIGIN).split("=")[1]!;
  for (const secret of [searchParams.get("state")!, searchParams.get("code_challenge")!, cookie]) {
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(rows.includes(secret), false);
  }
  await ada.send(answerOf(start, "ada"));
  const { body } = fake.calls.find(({ url }) => url.endsWith("/token"))!;
  assert.equal(rows.includes(body.get("code_verifier")!), false);
  application.close();
});

// Tracks: CVE-2023-48309, GHSA-r4xp-prcw-77qf, K5
Deno.test("the sealed cookie of a sign-in under way is no session, and no session is one", async () => {
  const fake = createFakeProvider();
  const auth = createAuth<unknown>({
    pages: { theme: defaultTheme },
    providers: [fake.provider()],
    fetch: fake.fetch,
    baseUrl: ORIGIN,
    secret: SECRET,
    session: { strategy: jwtSessions },
  });
  const ada = createVisitor(auth, ORIGIN);
  const start = await ada.start("fake");
  const [name, value] = ada.jar.header(ORIGIN).split("=") as [string, string];
  for (const text of [value, value.split(".").slice(1).join("."), value.split(".")[2]!]) {
    const session = await ada.send("/auth/session", {
      headers: { cookie: `framework.session-token=${text}` },
    });
    assert.equal(await session.json(), null);
  }
  await ada.send(answerOf(start, "ada"));
  const again = await ada.start("fake");
  const session = ada.jar.header(ORIGIN).split("; ").find((pair) => pair.includes("session"))!;
  const state = new URL(again).searchParams.get("state")!;
  const own = [...ada.jar.lines("localhost:8787").keys()].find((key) => key.includes("oauth"))!;
  assert.equal(own, `framework.oauth-${state.slice(0, 12)}`);
  for (const planted of [session.split("=")[1]!, value, value.replace(/^[^.]+/, "x".repeat(43))]) {
    const forged = createVisitor(auth, ORIGIN);
    const answer = await forged.send(answerOf(again, "ada"), {
      headers: { cookie: `${own}=${planted}; ${name}=${value}` },
    });
    assert.notEqual(await errorOf(answer), null);
  }
});

// Tracks: R088, GHSA-x445-f3h2-j279
Deno.test("an answer in another's name is refused before anything is asked, also where nobody's name is known", async () => {
  const own = "https://id.example";
  const cases = [[undefined, own], [own, "https://evil.example"], [own, own]] as const;
  for (const [issuer, iss] of cases) {
    const fake = createFakeProvider();
    const { fetch } = fake;
    const provider = fake.provider(issuer === undefined ? {} : { issuer });
    const application = createOAuthApplication({ providers: [provider], fetch });
    const ada = application.visitor();
    const answer = await ada.send(answerOf(await ada.start("fake"), "ada", { iss }));
    const isOwn = issuer === iss;
    assert.equal(await errorOf(answer), isOwn ? null : "OAUTH_RESPONSE_INVALID");
    assert.equal(fake.calls.length > 0, isOwn);
    application.close();
  }
});

// Tracks: R085, R098
Deno.test("without a database each cookie holds one sign-in, and what was sealed for another is none", async () => {
  const fake = createFakeProvider();
  const auth = createAuth<unknown>({
    pages: { theme: defaultTheme },
    providers: [fake.provider()],
    fetch: fake.fetch,
    baseUrl: ORIGIN,
    secret: SECRET,
    session: { strategy: jwtSessions },
  });
  const ada = createVisitor(auth, ORIGIN);
  const start = await ada.start("fake");
  await ada.start("fake", { callbackUrl: "/elsewhere" });
  const [one, two] = ada.jar.header(ORIGIN).split("; ") as [string, string];
  const [own] = one.split(".1.") as [string];
  const [, sealed] = two.split(".1.") as [string, string];
  const answer = await ada.send(answerOf(start, "ada"), {
    headers: { cookie: `${own}.1.${sealed}` },
  });
  assert.equal(await errorOf(answer), "OAUTH_STATE_FOREIGN");
  assert.deepEqual(fake.calls, []);
});

// Tracks: F35
Deno.test("sign-ins that nobody finishes do not pile up, also where nobody ever signs in", async () => {
  const fake = createFakeProvider();
  const { fetch } = fake;
  const application = createOAuthApplication({ providers: [fake.provider()], fetch });
  const begin = async (times: number) => {
    for (let turn = 0; turn < times; turn++) await application.visitor().start("fake");
  };
  await begin(300);
  application.clock.shift = 21 * 60_000;
  // One in about a hundred removes what has ended: of so many, one does.
  await begin(1500);
  assert.equal(application.count("verifications"), 1500);
  application.close();
});
