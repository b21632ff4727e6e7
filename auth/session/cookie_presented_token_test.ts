import assert from "node:assert/strict";
import fc from "fast-check";
import { readCookieOptions } from "../core/cookie_options.ts";
import { visit } from "../tests/application.ts";
import { COOKIE, createTokenApplication, userBehind } from "../tests/token_application.ts";
import { createTestApplication } from "../tests/application.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { ONE_COOKIE, readPresentedToken } from "./cookie.ts";

function read(headers: Record<string, string>, bearer = true) {
  const request = new Request("https://app.example/", { headers });
  const cookie = {
    ...readCookieOptions({ sessionToken: { name: "s" } }),
    tokens: ONE_COOKIE,
    until: -Infinity,
  };
  return readPresentedToken(request, { cookie, bearer, now: () => 0 }, () => "https://app.example");
}

// Tracks: hono 5463db27. Any scheme was once taken for Bearer.
Deno.test("readPresentedToken() reads the scheme Bearer, in any case, and no other", () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    assert.deepEqual(read({ authorization: `${scheme} a.b.c` }), {
      found: "one",
      token: "a.b.c",
      source: "bearer",
    });
  }
  for (
    const authorization of ["Basic a.b.c", "Bearerx a.b.c", "a.b.c", "DPoP a.b.c", "Token bearer"]
  ) {
    assert.deepEqual(read({ authorization }), { found: "none" });
  }
});

Deno.test("readPresentedToken() reads the header in place of the cookie, also when it is none", () => {
  assert.deepEqual(read({ authorization: "Bearer t", cookie: "s=c" }), {
    found: "one",
    token: "t",
    source: "bearer",
  });
  for (
    const authorization of ["Bearer", "Bearer %", "Bearer a b", "Bearer a, Bearer b", "Bearer \t"]
  ) {
    assert.deepEqual(read({ authorization, cookie: "s=c" }), {
      found: "unclear",
      source: "bearer",
      tokens: [],
    });
  }
});

Deno.test("readPresentedToken() reads no header unless that is configured", () => {
  assert.deepEqual(read({ authorization: "Bearer t" }, false), { found: "none" });
  assert.deepEqual(read({ authorization: "Bearer t", cookie: "s=c" }, false), {
    found: "one",
    token: "c",
    source: "cookie",
  });
});

Deno.test("a bearer token signs in with either strategy when configured, and gets no cookies", async () => {
  for (const make of [createTestApplication, createTokenApplication]) {
    for (const bearer of [false, true]) {
      const strategy = make === createTestApplication ? "database" : jwtSessions;
      const application = make({ session: { strategy, bearer }, secret: "s".repeat(32) });
      const token = (await application.signIn()).split("=")[1]!;
      const authorization = `Bearer ${token}`;
      assert.equal(await userBehind(application, { authorization }), bearer ? "ada" : null);
      application.clock.now += 24 * 60 * 60 * 1000;
      for (const value of [authorization, "Bearer x", "Bearer %"]) {
        const response = await application.send("/session", { headers: { authorization: value } });
        assert.deepEqual(response.headers.getSetCookie(), []);
        assert.equal(
          (await response.json())?.user.id ?? null,
          bearer && value === authorization ? "ada" : null,
        );
        assert.equal(response.headers.get("vary")!.includes("Authorization"), bearer);
      }
      application.close();
    }
  }
});

Deno.test("a bearer token keeps its end, and sees after updateAge what has changed", async () => {
  const application = createTokenApplication({ session: { bearer: true } });
  const authorization = `Bearer ${(await application.signIn()).split("=")[1]}`;
  const end = application.clock.now + 30 * 24 * 60 * 60 * 1000;
  application.database.sqlite.exec("UPDATE users SET role = 'admin'");
  application.clock.now += 24 * 60 * 60 * 1000;
  for (const method of ["GET", "POST"]) {
    const headers = { authorization, "content-type": "application/json" };
    const session = await (await application.send("/session", { method, headers })).json();
    assert.deepEqual([session.user.role, Date.parse(session.expires)], ["admin", end]);
  }
  application.database.sqlite.exec("UPDATE users SET disabled_at = 1");
  assert.equal(await userBehind(application, { authorization }), null);
  application.close();
});

// Tracks: R053, R066, K11, GHSA-xmf8-cvqr-rfgj, CVE-2026-73418
Deno.test("no Cookie and no Authorization header throws, or signs anybody in", async () => {
  const applications = [
    createTokenApplication({ session: { bearer: true } }),
    createTestApplication({ session: { strategy: "database", bearer: true } }),
  ];
  const token = (await applications[0]!.signIn()).split("=")[1]!;
  const [head, payload, signature] = token.split(".") as [string, string, string];
  // What a header can carry: a byte for each character, no line breaks.
  const bytes = fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 200,
  });
  const part = fc.oneof(
    bytes,
    fc.constantFrom(
      head,
      payload,
      signature,
      COOKIE,
      "%",
      "%zz",
      "=",
      ";",
      ".",
      "Bearer ",
      "__proto__",
    ),
  );
  const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  const dotted = fc.array(part, { maxLength: 5 }).map((parts) => parts.join("."));
  const header = fc.oneof(
    text,
    dotted.map((value) => `${COOKIE}=${value}`),
    dotted.map((value) => `${COOKIE}.0=${value}; ${COOKIE}.1=${value}`),
  );
  await fc.assert(
    fc.asyncProperty(header, fc.oneof(text, dotted), async (cookie, value) => {
      fc.pre(!cookie.includes(token) && !value.includes(token));
      for (const application of applications) {
        for (const authorization of [value, `Bearer ${value}`]) {
          assert.equal(await userBehind(application, { cookie, authorization }), null);
        }
        assert.equal(await userBehind(application, { cookie }), null);
      }
    }),
    { numRuns: 1500 },
  );
  for (const huge of ["a".repeat(1 << 20), `${token}${"A".repeat(1 << 20)}`, ".".repeat(1 << 20)]) {
    for (const application of applications) {
      assert.equal(await userBehind(application, { cookie: `${COOKIE}=${huge}` }), null);
      assert.equal(await userBehind(application, { authorization: `Bearer ${huge}` }), null);
    }
  }
  const page = await visit(applications[0]!, () => new Response("fine"), { cookie: "%" });
  assert.equal(await page.text(), "fine");
  for (const application of applications) application.close();
});
