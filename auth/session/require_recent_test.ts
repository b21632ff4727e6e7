import assert from "node:assert/strict";
import {
  ReauthenticationRequiredError,
  SessionExpiredError,
  UnauthenticatedError,
} from "../errors.ts";
import { createTestApplication, inVisit, ORIGIN, visit } from "../tests/application.ts";
import { createTokenApplication } from "../tests/token_application.ts";
import { requireAuth, requireRecentAuth } from "./operations.ts";
import type { RequireRecentAuthOptions } from "./require.ts";

const MINUTE = 60_000;

/** The name of the user, or the code of the error, at once and as a promise. */
async function ask(
  application: Pick<ReturnType<typeof createTestApplication>, "auth">,
  { cookie, options }: { cookie?: string; options?: RequireRecentAuthOptions },
): Promise<string> {
  const answers: unknown[] = [];
  await inVisit(application, async (context) => {
    const asked = { throwError: true, ...options };
    try {
      answers.push(requireRecentAuth(asked).id);
    } catch (error) {
      answers.push((error as { code?: unknown }).code);
    }
    const later = context.auth.requireRecentAuth(asked);
    answers.push(await later.then(({ id }) => id, ({ code }) => code));
    return new Response();
  }, cookie === undefined ? {} : { cookie });
  assert.equal(answers[0], answers[1]);
  return String(answers[0]);
}

// Tracks: R046
Deno.test("requireRecentAuth() asks for a fresh sign-in, with either strategy", async () => {
  for (const make of [createTestApplication, createTokenApplication]) {
    const application = make();
    const { clock } = application;
    const cookie = await application.signIn();
    assert.equal(await ask(application, { cookie }), "ada");
    clock.now += 10 * MINUTE;
    assert.equal(await ask(application, { cookie }), "ada");
    clock.now += 1000;
    assert.equal(await ask(application, { cookie }), "REAUTHENTICATION_REQUIRED");
    assert.equal(await ask(application, { cookie, options: { maxAge: 601 } }), "ada");
    for (const maxAge of [0, -1, NaN]) {
      const code = await ask(application, { cookie, options: { maxAge } });
      assert.equal(code, "REAUTHENTICATION_REQUIRED", String(maxAge));
    }
    const again = await application.signIn();
    assert.equal(await ask(application, { cookie: again }), "ada");
    clock.now += 365 * 24 * 60 * MINUTE;
    assert.equal(await ask(application, { cookie: again }), "SESSION_EXPIRED");
    assert.equal(await ask(application, {}), "UNAUTHENTICATED");
    application.close();
  }
});

// Tracks: R046
Deno.test("a session that is renewed is not a fresh proof", async () => {
  const applications = [
    createTestApplication({ session: { strategy: "database", updateAge: 0 } }),
    createTokenApplication({ session: { updateAge: 0 } }),
  ];
  for (const application of applications) {
    let cookie = await application.signIn();
    application.clock.now += 20 * MINUTE;
    const renewed = await visit(application, () => new Response(), { cookie });
    cookie = renewed.headers.getSetCookie()[0]!.split(";")[0]!;
    assert.equal(await ask(application, { cookie }), "REAUTHENTICATION_REQUIRED");
    application.close();
  }
});

Deno.test("requireRecentAuth() redirects to the sign-in page, which says why, and back", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.clock.now += 11 * MINUTE;
  const page = await visit(application, () => Response.json(requireRecentAuth()), { cookie });
  assert.equal(page.status, 303);
  const location = page.headers.get("location")!;
  assert.equal(
    location,
    `${ORIGIN}/auth/signin?error=REAUTHENTICATION_REQUIRED&callbackUrl=%2Fpage`,
  );
  const shown = await application.send(location.slice(`${ORIGIN}/auth`.length), { cookie });
  assert.match(await shown.text(), /Sign in again to continue\./);
  const elsewhere = await visit(
    application,
    () => Response.json(requireRecentAuth({ redirectTo: "/confirm" })),
    { cookie },
  );
  assert.equal(elsewhere.headers.get("location"), `${ORIGIN}/confirm`);
  application.close();
});

Deno.test("the errors of requireRecentAuth() are 401", () => {
  for (const Kind of [ReauthenticationRequiredError, SessionExpiredError, UnauthenticatedError]) {
    assert.equal(new Kind().status, 401);
  }
});

Deno.test("a program is told the error, and a page or a form is led to the sign-in", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.clock.now += 11 * MINUTE;
  const json = { accept: "application/json" };
  const rows: [init: RequestInit, options: RequireRecentAuthOptions, isLed: boolean][] = [
    [{}, {}, true],
    [{ method: "POST" }, {}, true],
    [{ headers: { accept: "text/html, */*;q=0.8" } }, {}, true],
    [{ headers: json }, {}, false],
    [{ method: "POST", headers: json }, {}, false],
    [{ method: "DELETE" }, {}, false],
    [{ method: "PATCH", headers: { accept: "*/*" } }, {}, false],
    [{ method: "DELETE" }, { throwError: false }, true],
    [{ headers: json }, { redirectTo: "/elsewhere" }, true],
    [{ method: "POST" }, { throwError: true }, false],
  ];
  for (const [init, options, isLed] of rows) {
    for (const signedIn of [true, false]) {
      const headers = new Headers(init.headers);
      if (signedIn) headers.set("cookie", cookie);
      headers.set("origin", ORIGIN);
      const response = await application.auth.run(
        new Request(`${ORIGIN}/projects`, { ...init, headers }),
        {},
        undefined,
        () => Response.json((signedIn ? requireRecentAuth(options) : requireAuth(options)).id),
      );
      const about = JSON.stringify([init, options, signedIn]);
      assert.equal(response.status, isLed ? 303 : 401, about);
    }
  }
  application.close();
});
