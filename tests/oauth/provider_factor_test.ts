// A provider whose claim `amr` counts as two factors, at a real one.
import assert from "node:assert/strict";
import {
  type AuthOptions,
  createAuth,
  createMemoryStorage,
  createOidcProvider,
  getSessionProof,
  jwtSessions,
  type OidcProviderConfig,
  requireSecondFactor,
  secondFactor,
} from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, createSqlRevocationStore } from "@framework/auth/storage";
import { DatabaseSync } from "node:sqlite";
import { stepAt, totpCode } from "../../auth/sign_in/second_factor/totp.ts";
import {
  DEMO_CLIENT,
  type IdentityProviderOptions,
  PEOPLE,
  startIdentityProvider,
} from "../../scripts/identity_provider.ts";
import { createOAuthApplication, ORIGIN } from "./application.ts";
import type { Visitor } from "./visitor.ts";

const JSON_WANTED = { accept: "application/json" };
const MFA = ["pwd", "otp", "mfa"];
const COUNTS: Partial<OidcProviderConfig> = {
  secondFactor: { amr: ["mfa"] },
  parameters: { max_age: "600" },
};

/** An application with a provider, where Ada's second factor of the application's own is on. */
async function createWorld({ strategy = "database", amrIn = "openid", required }: {
  strategy?: "database" | "jwt";
  /** Scope whose claims have `amr`: of others than "openid" only userinfo tells them. */
  amrIn?: "openid" | "profile";
  required?: () => boolean;
} = {}) {
  const told: ReturnType<NonNullable<IdentityProviderOptions["login"]>> = { amr: ["pwd"] };
  const identity = await startIdentityProvider({
    redirectUris: ["counts", "other", "plain", "timeless"].map((id) =>
      `${ORIGIN}/auth/callback/${id}`
    ),
    people: PEOPLE.map((person) => ({ ...person, ...amrIn === "profile" && { amr: MFA } })),
    login: () => told,
    configuration: {
      claims: {
        openid: ["sub", ...amrIn === "openid" ? ["amr"] : []],
        email: ["email", "email_verified"],
        profile: ["name", "picture", ...amrIn === "profile" ? ["amr"] : []],
      },
    },
  });
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const session: AuthOptions["session"] = strategy === "jwt"
    ? { strategy: jwtSessions, revocation: createSqlRevocationStore(sqlite(file)) }
    : { strategy: "database" };
  const at = (id: string, further: Partial<OidcProviderConfig> = {}) =>
    createOidcProvider({
      id,
      name: id,
      issuer: identity.issuer,
      ...DEMO_CLIENT,
      trustEmail: true,
      ...further,
    });
  const application = createOAuthApplication({
    session,
    rateLimit: false,
    providers: [
      at("counts", COUNTS),
      at("other", COUNTS),
      at("plain"),
      at("timeless", { secondFactor: { amr: ["mfa"] } }),
      secondFactor({ sendMail: () => {}, ...required !== undefined && { required } }),
    ],
  });
  let secret = "";
  return {
    told,
    application,
    code: () => totpCode(secret, stepAt(Date.now() + application.clock.shift)),
    async enrol(visitor: Visitor) {
      const offered = await (await visitor.send("/auth/second-factor/setup", {
        headers: JSON_WANTED,
      })).json();
      secret = offered.secret;
      const confirmed = await visitor.send("/auth/second-factor/setup", {
        method: "POST",
        headers: JSON_WANTED,
        body: new URLSearchParams({ setUp: offered.setUp, code: await this.code() }),
      });
      assert.equal(confirmed.status, 200);
      application.clock.shift += 30_000;
    },
    async [Symbol.asyncDispose]() {
      application.close();
      file.close();
      await identity.close();
    },
  };
}

const seconds = () => Math.floor(Date.now() / 1000);

// Tracks: R170, R172
for (const strategy of ["database", "jwt"] as const) {
  Deno.test(`a provider's amr is two factors where the preset says so (${strategy})`, async () => {
    await using world = await createWorld({ strategy });
    const { application, told } = world;
    const owner = application.visitor();
    await owner.signIn("counts");
    await world.enrol(owner);
    const { id } = (await owner.user())!;

    const single = application.visitor();
    const asked = await single.signIn("counts");
    assert.match(asked.headers.get("location")!, /\/auth\/second-factor/);
    assert.equal(await single.user(), null);

    Object.assign(told, { amr: MFA, ts: seconds() - 100 });
    const unnamed = application.visitor();
    await unnamed.signIn("plain");
    assert.equal(await unnamed.user(), null);

    const visitor = application.visitor();
    await visitor.signIn("counts");
    assert.equal((await visitor.user())!.id, id);
    const proof = await visitor.run(() => getSessionProof());
    assert.equal(proof!.secondFactor, "provider");
    assert.deepEqual(proof!.amr, ["mfa"]);
    assert.equal(proof!.secondFactorAt!.getTime(), told.ts! * 1000);
    assert.equal((await visitor.run(() => requireSecondFactor({ fresh: true }))).id, id);
    await assert.rejects(
      visitor.run(() => requireSecondFactor({ fresh: 60, throwError: true })),
      { code: "SECOND_FACTOR_REQUIRED" },
    );
  });
}

Deno.test("a provider's word changes nothing of the second factor that is on here", async () => {
  await using world = await createWorld();
  const { application, told } = world;
  await (async () => {
    const owner = application.visitor();
    await owner.signIn("counts");
    await world.enrol(owner);
  })();
  Object.assign(told, { amr: MFA, ts: seconds() });
  const visitor = application.visitor();
  await visitor.signIn("counts");
  for (const path of ["off", "codes"]) {
    const refused = await visitor.send(`/auth/second-factor/setup/${path}`, {
      method: "POST",
      headers: JSON_WANTED,
    });
    assert.equal((await refused.json()).code, "SECOND_FACTOR_REQUIRED");
  }
  const proved = await visitor.send("/auth/second-factor", {
    method: "POST",
    headers: JSON_WANTED,
    body: new URLSearchParams({ code: await world.code() }),
  });
  assert.equal(proved.status, 200);
  assert.equal((await visitor.run(() => getSessionProof()))!.secondFactor, "totp");
  const off = await visitor.send("/auth/second-factor/setup/off", {
    method: "POST",
    headers: JSON_WANTED,
  });
  assert.deepEqual(await off.json(), { on: false });
});

Deno.test("a provider's amr is one factor without its time, or with one that is too old", async () => {
  await using world = await createWorld();
  const { application, told } = world;
  const owner = application.visitor();
  await owner.signIn("counts");
  await world.enrol(owner);
  Object.assign(told, { amr: MFA, ts: seconds() });
  const timeless = application.visitor();
  // Its account is known, so that nothing but the time is missing.
  for (const _round of [1, 2]) {
    await timeless.signIn("timeless");
    assert.equal(await timeless.user(), null);
    await timeless.send("/auth/second-factor", {
      method: "POST",
      headers: JSON_WANTED,
      body: new URLSearchParams({ code: await world.code() }),
    });
    assert.notEqual(await timeless.user(), null);
    await timeless.send("/auth/signout", { method: "POST" });
    application.clock.shift += 30_000;
  }
  // The clock of the application has gone on by 90 seconds, and the age of the proof by as many.
  told.ts = seconds() - 580;
  const late = application.visitor();
  await late.signIn("counts");
  assert.equal(await late.user(), null);
});

Deno.test("a provider's amr counts in the ID token alone", async () => {
  await using world = await createWorld({ amrIn: "profile" });
  const { application } = world;
  const owner = application.visitor();
  await owner.signIn("counts");
  await world.enrol(owner);
  const visitor = application.visitor();
  await visitor.signIn("counts");
  assert.equal(await visitor.user(), null);
});

Deno.test("a provider's amr is one factor where the sign-in links the account", async () => {
  await using world = await createWorld();
  const { application, told } = world;
  const owner = application.visitor();
  await owner.signIn("counts");
  await world.enrol(owner);
  Object.assign(told, { amr: MFA, ts: seconds() });
  const visitor = application.visitor();
  await visitor.signIn("other");
  assert.equal(await visitor.user(), null);
  assert.equal(application.count("accounts"), 1);
  await visitor.send("/auth/second-factor", {
    method: "POST",
    headers: JSON_WANTED,
    body: new URLSearchParams({ code: await world.code() }),
  });
  assert.equal(application.count("accounts"), 2);
  const again = application.visitor();
  await again.signIn("other");
  assert.notEqual(await again.user(), null);
});

Deno.test("a provider's amr is what a role requires; to prove it anew is to sign in there", async () => {
  await using world = await createWorld({ required: () => true });
  const { application, told } = world;
  const single = application.visitor();
  const led = await single.signIn("counts");
  assert.match(led.headers.get("location")!, /\/auth\/second-factor/);
  assert.equal(await single.user(), null);
  Object.assign(told, { amr: MFA, ts: seconds() });
  const visitor = application.visitor();
  await visitor.signIn("counts");
  const { id } = (await visitor.user())!;
  assert.equal((await visitor.run(() => requireSecondFactor())).id, id);
  application.clock.shift += 700_000;
  await assert.rejects(visitor.run(() => requireSecondFactor({ fresh: true })), (error) => {
    const { code, location } = error as { code: string; location: string };
    assert.equal(code, "REDIRECT");
    assert.match(location, /\/auth\/signin\?error=REAUTHENTICATION_REQUIRED/);
    return true;
  });
});

Deno.test("createOidcProvider({ secondFactor }) refuses what cannot be meant", () => {
  const base = { id: "local", name: "Local", issuer: "https://id.example", ...DEMO_CLIENT };
  const wrong: [unknown, RegExp][] = [
    [true, /secondFactor/],
    [{}, /secondFactor\.amr/],
    [{ amr: [] }, /secondFactor\.amr/],
    [{ amr: "mfa" }, /secondFactor\.amr/],
    [{ amr: ["mfa", ""] }, /secondFactor\.amr/],
    [{ amr: ["mfa", "pwd"] }, /"pwd"/],
    [{ amr: ["mfa"], maxAge: 0 }, /secondFactor\.maxAge/],
    [{ amr: ["mfa"], acr: "mfa" }, /secondFactor\.acr/],
  ];
  for (const [given, says] of wrong) {
    assert.throws(
      () => createOidcProvider({ ...base, secondFactor: given as { amr: string[] } }),
      says,
    );
  }
  assert.throws(
    () =>
      createAuth({
        database: createMemoryStorage(),
        secret: "a secret of at least thirty-two bytes",
        providers: [createOidcProvider({ ...base, secondFactor: { amr: ["mfa"] } })],
      }),
    /secondFactor\(\) among the providers/,
  );
});
