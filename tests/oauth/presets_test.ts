import assert from "node:assert/strict";
import {
  ConfigurationError,
  createOAuth2Provider,
  getAccessToken,
  type Provider,
} from "@framework/auth";
import * as presets from "@framework/auth/providers";
import * as main from "@framework/auth";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { createOAuthApplication, type OAuthApplication, ORIGIN } from "./application.ts";
import { answerOf } from "./fake_provider.ts";
import {
  ADA,
  type Double,
  DOUBLES,
  KEYS,
  OTHER_TENANT,
  type Person,
  PERSONAL,
  serveDouble,
  type Server,
  TENANT,
} from "./preset_doubles.ts";
import { errorOf, type Visitor } from "./visitor.ts";

interface Place extends OAuthApplication {
  server: Server;
  /** Signs somebody in in a new browser: null, or the code of the error. */
  signIn(person?: Person, more?: Record<string, string>): Promise<string | null>;
}

/** An application with a preset, and beside it one provider whose addresses are believed. */
function createPlace(id: string, double: Double, provider: Provider, issuer?: string): Place {
  const server = serveDouble(double, issuer);
  const directory = createOAuth2Provider({
    id: "directory",
    name: "Directory",
    ...KEYS,
    authorization: "https://directory.example/authorize",
    token: "https://directory.example/token",
    userinfo: "https://directory.example/me",
    trustEmail: true,
    profile: () => ({ id: "victim", name: "Ada", email: ADA.email, emailVerified: new Date() }),
  });
  const application = createOAuthApplication({
    providers: [provider, directory],
    fetch: async (input, init) =>
      new URL(new Request(input, init).url).host === "directory.example"
        ? Response.json({ access_token: "t", token_type: "bearer" })
        : await server.fetch(input, init),
  });
  return {
    ...application,
    server,
    async signIn(person = ADA, more = {}) {
      server.person = person;
      const visitor = application.visitor();
      const start = await visitor.start(id);
      server.expect(start);
      return await errorOf(await visitor.send(answerOf(start, "the-code", more)));
    },
  };
}

/** Fields of every answer of a double. */
function answerFields({ discovery }: Double): Record<string, string> {
  const says = discovery?.authorization_response_iss_parameter_supported === true;
  return says ? { iss: discovery!.issuer as string } : {};
}

function rows({ sqlite }: OAuthApplication): Record<string, unknown>[] {
  return sqlite.prepare(
    `SELECT a.provider, a.provider_account_id AS id, u.id AS user, u.name, u.image, u.email,
      u.email_verified IS NOT NULL AS proved, u.email_identity AS identity
      FROM accounts a JOIN users u ON u.id = a.user_id ORDER BY a.rowid`,
  ).all();
}

async function signInAtDirectory(visitor: Visitor): Promise<void> {
  const start = await visitor.start("directory");
  assert.equal(await errorOf(await visitor.send(answerOf(start, "c"))), null);
}

Deno.test("the entry of providers has the presets that are documented, each tested, and the four of the main entry", () => {
  const builtIn = ["apple", "discord", "github", "google"] as const;
  const functions = Object.keys(presets).filter((name) => name !== "createAppleSecret");
  assert.deepEqual(functions.sort(), [...Object.keys(DOUBLES), ...builtIn].sort());
  for (const name of builtIn) assert.equal(presets[name], main[name]);
});

// Tracks: R085, R091, R097, R100, R103
Deno.test("a whole sign-in at each preset's provider, as that answers", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES)) {
    await t.step(id, async () => {
      const place = createPlace(id, double, double.make());
      const visitor = place.visitor();
      const start = await visitor.start(id);
      place.server.expect(start);
      const { origin, pathname, searchParams } = new URL(start);
      assert.equal(origin + pathname, double.authorization);
      for (const [name, value] of Object.entries(double.asks ?? {})) {
        assert.equal(searchParams.get(name), value, name);
      }
      const answer = answerOf(start, "the-code", answerFields(double));
      assert.equal(await errorOf(await visitor.send(answer)), null);
      const [row, ...others] = rows(place);
      assert.deepEqual(others, []);
      const { user: _user, ...said } = row!;
      assert.deepEqual({ ...said }, {
        provider: id,
        id: double.idOf(ADA),
        name: "Ada",
        image: double.image,
        email: double.tellsEmail === false ? null : ADA.email,
        // No preset believes an address because a provider has a word for it.
        proved: 0,
        identity: null,
      });
      assert.equal((await visitor.user())?.name, "Ada");
      place.close();
    });
  }
});

// Tracks: R085, R088, R091, R101
Deno.test("a preset for a server of one's own signs in at a real provider, and believes its address only when told to", async () => {
  const identity = await startIdentityProvider({
    redirectUris: [`${ORIGIN}/auth/callback/gitlab`],
  });
  for (const trustEmail of [false, true]) {
    const provider = presets.gitlab({ url: identity.issuer, trustEmail, ...DEMO_CLIENT });
    const application = createOAuthApplication({ providers: [provider] });
    const ada = application.visitor();
    assert.equal(await errorOf(await ada.signIn("gitlab")), null);
    assert.deepEqual(rows(application).map(({ id, proved }) => [id, proved]), [
      ["ada", Number(trustEmail)],
    ]);
    application.close();
  }
  await identity.close();
});

Deno.test("tokens of each preset are renewed where and as its provider does that", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES)) {
    await t.step(id, async () => {
      const place = createPlace(id, double, double.make());
      const visitor = place.visitor();
      const start = await visitor.start(id);
      place.server.expect(start);
      await visitor.send(answerOf(start, "the-code", answerFields(double)));
      assert.equal(await visitor.run(() => getAccessToken(id)), "the-token");
      place.clock.shift = 3600 * 1000;
      assert.equal(await visitor.run(() => getAccessToken(id)), "the-next");
      place.close();
    });
  }
});

// Tracks: OpenID Connect Core, 12.2
Deno.test("tokens that are renewed with an ID token of another subject are refused", async () => {
  const double: Double = { ...DOUBLES["auth0"]! };
  const place = createPlace("auth0", double, double.make());
  const visitor = place.visitor();
  const start = await visitor.start("auth0");
  place.server.expect(start);
  await visitor.send(answerOf(start, "the-code", answerFields(double)));
  place.clock.shift = 3600 * 1000;
  const iss = double.discovery!.issuer as string;
  const renewedWith = (sub: unknown) => {
    const claims = btoa(JSON.stringify({ iss, sub, aud: KEYS.clientId })).replace(/=+$/, "");
    double.tokens = { ...double.tokens, id_token: `e30.${claims}.e30` };
    return visitor.run(() => getAccessToken("auth0"));
  };
  const { sub } = double.claims!(ADA);
  for (const other of ["2", undefined, 1]) {
    await assert.rejects(
      renewedWith(other),
      (error) => (error as { code?: string }).code === "OAUTH_RESPONSE_INVALID",
    );
  }
  assert.equal(await renewedWith(sub), "the-next");
  place.close();
});

// Tracks: R100
Deno.test("accounts of presets are known by the provider's id, whatever name and address become", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES)) {
    await t.step(id, async () => {
      const place = createPlace(id, double, double.make());
      const more = answerFields(double);
      assert.equal(await place.signIn(ADA, more), null);
      assert.equal(await place.signIn({ ...ADA, name: "A", email: "new@example.com" }, more), null);
      assert.deepEqual(rows(place).map((row) => row.id), [double.idOf(ADA)]);
      // Somebody else, who has taken over name and address.
      const other = { ...ADA, key: "2" };
      assert.equal(await place.signIn(other, more), null);
      assert.deepEqual(rows(place).map((row) => row.id), [double.idOf(ADA), double.idOf(other)]);
      assert.equal(place.count("users"), 2);
      place.close();
    });
  }
});

// Tracks: R101
Deno.test("no preset links its account to the user of an address unless the application trusts it, and the provider has proved it", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES)) {
    for (const trustEmail of [undefined, false, true]) {
      await t.step(`${id}, trustEmail ${trustEmail}`, async () => {
        const provider = double.make(trustEmail === undefined ? {} : { trustEmail });
        const place = createPlace(id, double, provider);
        await signInAtDirectory(place.visitor());
        const mallory = { ...ADA, key: "3" };
        const links = trustEmail === true && double.saysVerified;
        const error = await place.signIn(mallory, answerFields(double));
        const [victim, other] = rows(place);
        assert.equal(victim!.identity, ADA.email);
        if (double.saysVerified && !links) {
          // Whose account it is cannot be known: the owner links it, signed in.
          assert.equal(error, "ACCOUNT_NOT_LINKED");
          assert.equal(other, undefined);
        } else {
          assert.equal(error, null);
          assert.equal(other!.user === victim!.user, links);
          assert.equal(other!.proved, Number(links));
        }
        place.close();
      });
    }
  }
});

// Tracks: R101
Deno.test("what a stranger makes at a preset's provider with somebody's address is not what its owner signs in to", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES)) {
    await t.step(id, async () => {
      const place = createPlace(id, double, double.make());
      assert.equal(await place.signIn({ ...ADA, key: "3" }, answerFields(double)), null);
      await signInAtDirectory(place.visitor());
      const [strange, own] = rows(place);
      assert.notEqual(strange!.user, own!.user);
      place.close();
    });
  }
});

// Tracks: R088
Deno.test("presets refuse an answer in another's name before any code is sent", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES)) {
    await t.step(id, async () => {
      const place = createPlace(id, double, double.make());
      const error = await place.signIn(ADA, { iss: "https://evil.example" });
      assert.equal(error, "OAUTH_RESPONSE_INVALID");
      assert.equal(place.server.calls.includes(double.token), false);
      assert.equal(place.count("users"), 0);
      place.close();
    });
  }
});

// Tracks: R091
Deno.test("presets of OpenID Connect refuse the ID token of another issuer, application or sign-in", async (t) => {
  for (const [id, double] of Object.entries(DOUBLES).filter(([, { claims }]) => claims)) {
    for (
      const claims of [
        { iss: "https://evil.example" },
        { aud: "another" },
        { nonce: "another" },
        { nonce: undefined },
        { sub: undefined },
      ]
    ) {
      await t.step(`${id} ${JSON.stringify(claims)}`, async () => {
        const place = createPlace(id, double, double.make());
        place.server.claims = claims;
        assert.equal(await place.signIn(ADA, answerFields(double)), "OAUTH_RESPONSE_INVALID");
        assert.equal(place.count("users"), 0);
        place.close();
      });
    }
  }
});

const MICROSOFT = "https://login.microsoftonline.com";

function issuerOf(tid: string): string {
  return `${MICROSOFT}/${tid}/v2.0`;
}

/** Microsoft for one setting of `tenant`. */
function microsoftAt(tenant: string): Double {
  const at = `${MICROSOFT}/${tenant === "consumers" ? PERSONAL : tenant}/oauth2/v2.0`;
  return {
    ...DOUBLES.microsoft!,
    make: (config) => presets.microsoft({ tenant, ...KEYS, ...config }),
    authorization: `${at}/authorize`,
    token: `${at}/token`,
  };
}

// Tracks: R091, R092
Deno.test("microsoft() lets in the tenants of its option, each signed for its own issuer", async (t) => {
  const own = { tid: TENANT, iss: issuerOf(TENANT) };
  const other = { tid: OTHER_TENANT, iss: issuerOf(OTHER_TENANT) };
  const personal = { tid: PERSONAL, iss: issuerOf(PERSONAL) };
  const template = { issuer: `${MICROSOFT}/{tenantid}/v2.0` };
  const cases: [string, object, object, boolean][] = [
    ["common", own, {}, true],
    ["common", personal, template, true],
    ["organizations", other, template, true],
    ["organizations", personal, template, false],
    ["consumers", personal, {}, true],
    ["consumers", own, {}, false],
    [TENANT, own, { issuer: issuerOf(TENANT) }, true],
    [TENANT, other, {}, false],
    // A tenant that is named, and another that signs.
    [TENANT, { tid: TENANT, iss: issuerOf(OTHER_TENANT) }, {}, false],
    [TENANT, { tid: OTHER_TENANT, iss: issuerOf(TENANT) }, {}, false],
    ["common", { tid: TENANT, iss: issuerOf(OTHER_TENANT) }, {}, false],
    ["common", { tid: TENANT, iss: `${MICROSOFT}/common/v2.0` }, {}, false],
    ["common", { tid: TENANT, iss: `${MICROSOFT}/{tenantid}/v2.0` }, {}, false],
    ["common", { tid: undefined, iss: issuerOf(TENANT) }, {}, false],
    ["common", { tid: "common", iss: issuerOf("common") }, {}, false],
    ["common", { tid: `${TENANT}/../x`, iss: issuerOf(`${TENANT}/../x`) }, {}, false],
    ["common", { tid: [TENANT], iss: issuerOf(TENANT) }, {}, false],
    [
      "common",
      { tid: TENANT.replace("1", "A"), iss: issuerOf(TENANT.replace("1", "A")) },
      {},
      false,
    ],
    // The key of one tenant says nothing about another's people.
    ["common", own, { issuer: issuerOf(OTHER_TENANT) }, false],
    ["common", own, { issuer: issuerOf(PERSONAL) }, false],
  ];
  for (const [tenant, claims, key, enters] of cases) {
    await t.step(`${tenant} ${JSON.stringify(claims)} ${JSON.stringify(key)}`, async () => {
      const double = microsoftAt(tenant);
      const place = createPlace("microsoft", double, double.make());
      Object.assign(place.server.claims, claims);
      Object.assign(place.server.key, key);
      assert.equal(await place.signIn(), enters ? null : "OAUTH_RESPONSE_INVALID");
      assert.equal(place.count("users"), Number(enters));
      place.close();
    });
  }
});

// Tracks: R100
Deno.test("microsoft() keeps people of two tenants apart who have the same subject", async () => {
  const place = createPlace("microsoft", microsoftAt("common"), microsoftAt("common").make());
  for (const tid of [TENANT, OTHER_TENANT, TENANT]) {
    place.server.claims = { tid, iss: issuerOf(tid) };
    assert.equal(await place.signIn(), null);
  }
  assert.deepEqual(rows(place).map(({ id }) => id), [`${TENANT}:sub-1`, `${OTHER_TENANT}:sub-1`]);
  place.close();
});

// Tracks: R101
Deno.test("microsoft() believes an address for `xms_edov`, or for its own tenant when the application says so", async (t) => {
  const cases: [string, unknown, boolean | undefined, boolean][] = [
    ["common", true, undefined, true],
    ["common", "1", undefined, true],
    ["common", 1, undefined, true],
    ["common", "true", undefined, true],
    ["common", undefined, undefined, false],
    ["common", false, undefined, false],
    ["common", "0", undefined, false],
    ["common", "yes", undefined, false],
    ["common", [true], undefined, false],
    ["common", undefined, true, false],
    ["common", true, false, false],
    ["organizations", undefined, true, false],
    [TENANT, undefined, undefined, false],
    [TENANT, undefined, true, true],
    [TENANT, false, true, false],
    [TENANT, true, undefined, true],
    [TENANT, undefined, false, false],
  ];
  for (const [tenant, said, trustEmail, proves] of cases) {
    await t.step(`${tenant} ${JSON.stringify(said)} trustEmail ${trustEmail}`, async () => {
      const double = microsoftAt(tenant);
      const provider = double.make(trustEmail === undefined ? {} : { trustEmail });
      const place = createPlace("microsoft", double, provider);
      // Words of other providers count for nothing here.
      place.server.claims = {
        xms_edov: said,
        email_verified: true,
        verified_primary_email: [ADA.email],
      };
      assert.equal(await place.signIn(), null);
      assert.equal(rows(place)[0]!.proved, Number(proves));
      place.close();
    });
  }
});

// Tracks: R095, R153
Deno.test("presets refuse options that would lead to another host or realm", () => {
  const hosts = [
    undefined,
    "",
    5,
    "acme",
    "evil.example/x",
    "evil.example/x.okta.com",
    "evil.example#.okta.com",
    "evil.example?.okta.com",
    "evil.example\\.okta.com",
    "user@evil.example",
    "evil.example:8443",
    "https://acme.okta.com",
    "//evil.example",
    "acme..okta.com",
    ".okta.com",
    "acme.okta.com.",
    "acme.okta.com ",
    "acme.okta.com\n",
    "acme.okta\u3002com",
    "acme\uFF0Eokta.com",
    "ACME.okta.com",
    "-acme.okta.com",
    "127.0.0.1",
    "0x7f.1",
    "[::1]",
    `${"a".repeat(64)}.okta.com`,
    `${"a.".repeat(130)}com`,
  ];
  const parts = [undefined, "", "..", ".", "a/b", "a?b", "a#b", "a b", "../../x", "%2e%2e", 5];
  const urls = [
    undefined,
    "",
    "id.example",
    "http://id.example",
    "https://user@id.example",
    "https://id.example/?x=",
    "https://id.example/?",
    "https://id.example/#",
    "https://id.example/#x",
    "https://id.example\\x",
    " https://id.example",
    "javascript:alert(1)",
  ];
  const tenants = [
    "",
    "contoso.com",
    "COMMON",
    `${TENANT}/x`,
    "../common",
    TENANT.toUpperCase().replace(/1/, "A"),
    5,
    null,
  ];
  const pools = [
    undefined,
    "",
    "eu-central-1",
    "eu-central-1_a/b",
    "evil.example/eu-central-1_A",
    "eu-central-1_A#",
    "x_eu",
  ];
  const { okta, auth0, zitadel, salesforce, keycloak, gitlab, microsoft, cognito } =
    presets as never as Record<
      string,
      (config: object) => Provider
    >;
  const wrong: [string, () => Provider][] = [];
  function refuse(
    values: readonly unknown[],
    make: (value: unknown) => Provider,
    name: string,
  ): void {
    for (const value of values) wrong.push([`${name} ${JSON.stringify(value)}`, () => make(value)]);
  }
  const domain = "acme.okta.com";
  const url = "https://id.example";
  refuse(hosts, (domain) => okta!({ ...KEYS, domain }), "okta");
  refuse(hosts, (domain) => auth0!({ ...KEYS, domain }), "auth0");
  refuse(hosts, (domain) => zitadel!({ ...KEYS, domain }), "zitadel");
  refuse(hosts.slice(1), (domain) => salesforce!({ ...KEYS, domain }), "salesforce");
  refuse(
    parts.slice(1),
    (server) => okta!({ ...KEYS, domain, authorizationServer: server }),
    "okta",
  );
  refuse(parts, (realm) => keycloak!({ ...KEYS, url, realm }), "keycloak");
  refuse(urls, (url) => keycloak!({ ...KEYS, url, realm: "staff" }), "keycloak");
  refuse(urls.slice(1), (url) => gitlab!({ ...KEYS, url }), "gitlab");
  refuse(tenants, (tenant) => microsoft!({ ...KEYS, tenant }), "microsoft");
  refuse(pools, (userPoolId) => cognito!({ ...KEYS, userPoolId }), "cognito");
  for (const [what, make] of wrong) assert.throws(make, ConfigurationError, what);
  for (const [id, { make }] of Object.entries(DOUBLES)) {
    for (
      const more of [
        { id: "a b" },
        { trustEmail: "yes" },
        { clientsecret: "canary" },
        { clientSecret: "" },
        { clientId: 5 },
        { scope: 5 },
      ]
    ) {
      assert.throws(() => make(more as never), (error) => {
        assert.ok(error instanceof ConfigurationError, `${id} ${JSON.stringify(more)}`);
        assert.equal(error.message.includes("canary"), false);
        return true;
      }, `${id} ${JSON.stringify(more)}`);
    }
    const own = (make({ id: "own" }) as unknown as { definition: { id: string } }).definition;
    assert.equal(own.id, "own");
  }
  assert.throws(() => presets.gitlab({ ...KEYS, scope: "email" }), /"openid" among them/);
  assert.throws(() => presets.paypal({ ...KEYS, sandbox: "no" as never }), ConfigurationError);
});

Deno.test("options of presets lead where they say", async () => {
  const cases: [Provider, string][] = [
    [
      presets.microsoft({ tenant: "consumers", ...KEYS }),
      `${MICROSOFT}/${PERSONAL}/oauth2/v2.0/authorize`,
    ],
    [
      presets.microsoft({ tenant: TENANT, ...KEYS }),
      `${MICROSOFT}/${TENANT}/oauth2/v2.0/authorize`,
    ],
    [presets.paypal({ sandbox: true, ...KEYS }), "https://www.sandbox.paypal.com/signin/authorize"],
  ];
  for (const [provider, expected] of cases) {
    const { id } = (provider as unknown as { definition: { id: string } }).definition;
    const application = createOAuthApplication({ providers: [provider] });
    const { origin, pathname } = new URL(await application.visitor().start(id));
    assert.equal(origin + pathname, expected);
    application.close();
  }
  const described: [Provider, string][] = [
    [
      presets.gitlab({ url: "https://git.acme.example/code/", ...KEYS }),
      "https://git.acme.example/code",
    ],
    [
      presets.keycloak({ url: "http://localhost:8080", realm: "r", ...KEYS }),
      "http://localhost:8080/realms/r",
    ],
    [
      presets.okta({ domain: "acme.okta.com", authorizationServer: null, ...KEYS }),
      "https://acme.okta.com",
    ],
    [
      presets.okta({ domain: "acme.okta.com", authorizationServer: "aus1", ...KEYS }),
      "https://acme.okta.com/oauth2/aus1",
    ],
    [
      presets.cognito({ userPoolId: "cn-north-1_A1", ...KEYS }),
      "https://cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_A1",
    ],
    [
      presets.salesforce({ domain: "acme.my.salesforce.com", ...KEYS }),
      "https://acme.my.salesforce.com",
    ],
  ];
  for (const [provider, issuer] of described) {
    const { id } = (provider as unknown as { definition: { id: string } }).definition;
    const asked: string[] = [];
    const application = createOAuthApplication({
      providers: [provider],
      fetch: (input) => {
        asked.push(String(input));
        return Promise.resolve(new Response(null, { status: 503 }));
      },
    });
    const body = new URLSearchParams();
    await application.visitor().send(`/auth/signin/${id}`, { method: "POST", body });
    assert.equal(asked[0], `${issuer}/.well-known/openid-configuration`);
    application.close();
  }
});

Deno.test("presets take their keys from the environment, and a function of it", () => {
  const { definition } = presets.gitlab() as unknown as { definition(env: object): { id: string } };
  assert.equal(definition({ GITLAB_CLIENT_ID: "a", GITLAB_CLIENT_SECRET: "b" }).id, "gitlab");
  assert.throws(() => definition({}), /set GITLAB_CLIENT_ID and GITLAB_CLIENT_SECRET/);
  const made = presets.okta((env: { ID: string }) => ({
    domain: "acme.okta.com",
    clientId: env.ID,
    clientSecret: "b",
  })) as unknown as { definition(env: object): { id: string } };
  assert.equal(made.definition({ ID: "a" }).id, "okta");
});

Deno.test("the sign-in page shows a preset's mark, which is shapes alone, else its first letter", async () => {
  const marked: string[] = [];
  for (const [id, { make }] of Object.entries(DOUBLES)) {
    const { name, logo } = (make() as unknown as { definition: { name: string; logo?: string } })
      .definition;
    const application = createOAuthApplication({ providers: [make()] });
    const headers = { accept: "text/html" };
    const page = await (await application.visitor().send("/auth/signin", { headers })).text();
    assert.ok(page.includes(name), id);
    application.close();
    if (logo === undefined) continue;
    marked.push(id);
    assert.ok(page.includes(logo), id);
    assert.match(logo, /^(?:<path fill="#[0-9A-F]{6}" d="[-\dA-Za-z., ]+"\/>)+$/, id);
  }
  // Whose documents show the mark on a button of somebody else's page.
  assert.deepEqual(marked, ["slack", "microsoft"]);
});
