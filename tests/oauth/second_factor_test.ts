// What a provider says of its own second factor, at a real one.
import assert from "node:assert/strict";
import {
  type AuthOptions,
  createOidcProvider,
  jwtSessions,
  type OidcProviderConfig,
  secondFactor,
} from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, createSqlRevocationStore } from "@framework/auth/storage";
import { DatabaseSync } from "node:sqlite";
import { stepAt, totpCode } from "../../auth/sign_in/second_factor/totp.ts";
import { DEMO_CLIENT, PEOPLE, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { createOAuthApplication, ORIGIN } from "./application.ts";

// Tracks: R170, R172
for (const strategy of ["database", "jwt"] as const) {
  Deno.test(`a real provider that claims two factors has proved one here (${strategy})`, async () => {
    const identity = await startIdentityProvider({
      redirectUris: [`${ORIGIN}/auth/callback/local`],
      people: PEOPLE.map((person) => ({ ...person, amr: ["pwd", "otp", "mfa"], acr: "mfa" })),
      configuration: {
        claims: {
          openid: ["sub", "amr", "acr"],
          email: ["email", "email_verified"],
          profile: ["name", "picture"],
        },
      },
    });
    const claimed: unknown[] = [];
    const profile: NonNullable<OidcProviderConfig["profile"]> = (claims) => {
      const { sub, email, name, amr } = claims as Record<"sub" | "email" | "name", string> & {
        amr: unknown;
      };
      claimed.push(amr);
      return { id: sub, email, name, emailVerified: new Date(0) };
    };
    using file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    const session: AuthOptions["session"] = strategy === "jwt"
      ? { strategy: jwtSessions, revocation: createSqlRevocationStore(sqlite(file)) }
      : { strategy: "database" };
    const application = createOAuthApplication({
      session,
      rateLimit: false,
      // Without a sign-in page.
      pages: {},
      providers: [
        createOidcProvider({
          id: "local",
          name: "Local",
          issuer: identity.issuer,
          ...DEMO_CLIENT,
          profile,
          trustEmail: true,
        }),
        secondFactor({ sendMail: () => {} }),
      ],
    });
    try {
      const json = { accept: "application/json" };
      const owner = application.visitor();
      await owner.signIn("local");
      const offered = await (await owner.send("/auth/second-factor/setup", { headers: json }))
        .json();
      const codeAt = (steps: number) =>
        totpCode(offered.secret, stepAt(Date.now() + application.clock.shift) + steps);
      const confirmed = await owner.send("/auth/second-factor/setup", {
        method: "POST",
        headers: json,
        body: new URLSearchParams({ setUp: offered.setUp, code: await codeAt(0) }),
      });
      assert.equal(confirmed.status, 200);
      const { id } = (await owner.user())!;

      const visitor = application.visitor();
      // The only provider: who is led to its address comes to it at once, and not past the question.
      const started = await visitor.send("/auth/signin/local", {
        headers: { accept: "text/html", "sec-fetch-site": "same-origin" },
      });
      assert.equal(started.status, 303);
      const start = started.headers.get("location")!;
      assert.ok(start.startsWith(identity.issuer), start);
      const answer = await visitor.deliver(await visitor.walk(start));
      assert.deepEqual(claimed.at(-1), ["pwd", "otp", "mfa"]);
      assert.equal(answer.status, 303);
      assert.match(answer.headers.get("location")!, /\/auth\/second-factor/);
      assert.equal(await visitor.user(), null);
      application.clock.shift += 30_000;
      const done = await visitor.send("/auth/second-factor", {
        method: "POST",
        headers: json,
        body: new URLSearchParams({ code: await codeAt(0) }),
      });
      assert.equal(done.status, 200);
      assert.equal((await visitor.user())!.id, id);
    } finally {
      application.close();
      await identity.close();
    }
  });
}
