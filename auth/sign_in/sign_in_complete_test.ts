import assert from "node:assert/strict";
import type { AuthCallbacks, SignInParams } from "../types/callbacks.ts";
import { AuthError, ConfigurationError } from "../errors.ts";
import { credentials } from "./credentials.ts";
import { createTestApplication, ORIGIN, type TestApplication } from "../tests/application.ts";
import { HOSTILE_ADDRESSES } from "../tests/hostile_addresses.ts";

const RIGHT = { name: "ada", password: "right" };
const JSON_HEADERS = { accept: "application/json" };
const PATH = "/signin/credentials";

function rows({ database }: TestApplication): number[] {
  return ["users", "sessions", "accounts"].map((table) =>
    Number(database.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"])
  );
}

function eventsOf({ log }: TestApplication): unknown[][] {
  return log.map(({ event, fields }) => [event, fields.code ?? fields.userId]);
}

class PlanRequiredError extends AuthError {
  override readonly name = "PlanRequiredError";
  readonly code = "PLAN_REQUIRED";
  readonly status = 402;
}

// Tracks: R102
Deno.test("signIn: nothing is stored and nobody signed in unless the verdict is true", async () => {
  const refusals: [string, AuthCallbacks["signIn"], number, string | null][] = [
    ["false", () => false, 403, "ACCESS_DENIED"],
    ["later false", () => Promise.resolve(false), 403, "ACCESS_DENIED"],
    ["throws", () => Promise.reject(new Error("canary")), 403, "ACCESS_DENIED"],
    [
      "throws at once",
      () => {
        throw new Error("canary");
      },
      403,
      "ACCESS_DENIED",
    ],
    ["throws no error", () => Promise.reject("canary"), 403, "ACCESS_DENIED"],
    [
      "an error of its own",
      () => Promise.reject(new PlanRequiredError("Pay")),
      402,
      "PLAN_REQUIRED",
    ],
    ["an address", () => "/invited-only", 200, null],
    ["a foreign address", () => "https://evil.example/canary", 403, "ACCESS_DENIED"],
    ["an empty address", () => "", 403, "ACCESS_DENIED"],
  ];
  for (const [what, signIn, status, code] of refusals) {
    const application = createTestApplication({ callbacks: { signIn: signIn! } });
    const response = await application.send(PATH, { json: RIGHT, headers: JSON_HEADERS });
    const body = await response.text();
    assert.equal(response.status, status, what);
    assert.equal(JSON.parse(body).code ?? null, code, what);
    assert.equal(body.includes("canary"), false, what);
    assert.deepEqual(response.headers.getSetCookie(), [], what);
    assert.deepEqual(rows(application), [0, 0, 0], what);
    const failure = application.log.find(({ event }) => event === "sign-in-failed")!;
    assert.deepEqual(
      [failure.fields.userId, failure.fields.code],
      ["ada", code ?? "ACCESS_DENIED"],
      what,
    );
    assert.equal(application.log.some(({ event }) => /^sign-(in|up)$/.test(event)), false, what);
    application.close();
  }
});

// Tracks: R102
Deno.test("signIn: a refusal changes neither the user there is nor the session the browser has", async () => {
  let verdict = true;
  const application = createTestApplication({
    callbacks: { signIn: () => verdict },
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" } },
      authorize: ({ name }) => Promise.resolve({ id: "ada", name: name! }),
    })],
  });
  const first = await application.send(PATH, { fields: { name: "Ada" } });
  const cookie = first.headers.getSetCookie()[0]!.split(";")[0]!;
  verdict = false;
  await application.send(PATH, { fields: { name: "Changed" }, cookie });
  const session = await (await application.send("/session", { cookie })).json();
  assert.equal(session.user.name, "Ada");
  assert.deepEqual(rows(application), [1, 1, 0]);
  application.close();
});

Deno.test("signIn: the callback is asked with the user, the account and what was typed, before anything is stored", async () => {
  const seen: SignInParams[] = [];
  const counts: number[][] = [];
  const application: TestApplication = createTestApplication({
    callbacks: {
      signIn(params) {
        seen.push(params);
        counts.push(rows(application));
        return true;
      },
    },
  });
  await application.send(PATH, { fields: { ...RIGHT, admin: "yes", callbackUrl: "/x" } });
  assert.deepEqual(seen, [{
    user: { id: "ada", name: "ada" },
    account: { provider: "credentials", providerAccountId: "ada", type: "credentials" },
    credentials: RIGHT,
  }]);
  assert.deepEqual(counts, [[0, 0, 0]]);
  assert.deepEqual(rows(application), [1, 1, 0]);
  assert.deepEqual(eventsOf(application), [["sign-up", "ada"], ["sign-in", "ada"]]);
  application.close();
});

Deno.test("signIn: the callback decides, and changes nothing of who signs in", async () => {
  const application = createTestApplication({
    callbacks: {
      signIn(params) {
        params.user.id = "root";
        params.user.role = "admin";
        params.account!.providerAccountId = "root";
        return true;
      },
    },
  });
  const response = await application.send(PATH, { json: RIGHT, headers: JSON_HEADERS });
  const { user } = await response.json();
  assert.deepEqual([user.id, user.role], ["ada", undefined]);
  application.close();
});

Deno.test("signIn: the callback is not asked when the credentials are wrong", async () => {
  let calls = 0;
  const application = createTestApplication({ callbacks: { signIn: () => (calls++, true) } });
  await application.send(PATH, { fields: { name: "ada", password: "wrong" } });
  assert.equal(calls, 0);
  application.close();
});

Deno.test("signIn: a refused visitor gets the sign-in page with the reason, or is sent where the callback says", async () => {
  let verdict: boolean | string = false;
  const application = createTestApplication({
    trustedOrigins: ["https://admin.example"],
    callbacks: { signIn: () => verdict, redirect: () => "/not-asked" },
  });
  const refused = await application.send(PATH, { fields: RIGHT });
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /role="alert">[^]*You are not allowed to sign in\./);
  for (
    const [target, location] of [
      ["/invited-only?who=ada", `${ORIGIN}/invited-only?who=ada`],
      ["https://admin.example/x", "https://admin.example/x"],
    ] as const
  ) {
    verdict = target;
    const sent = await application.send(PATH, { fields: RIGHT });
    assert.deepEqual([sent.status, sent.headers.get("location")], [303, location]);
    const told = await application.send(PATH, { json: RIGHT, headers: JSON_HEADERS });
    assert.deepEqual(await told.json(), { user: null, expires: null, redirectTo: location });
  }
  application.close();
});

// Tracks: R077, CVE-2021-43812, CVE-2022-24794, CVE-2022-3145
Deno.test("signIn: a callback that repeats a hostile address sends nobody there", async () => {
  for (const target of HOSTILE_ADDRESSES) {
    const application = createTestApplication({ callbacks: { signIn: () => target } });
    const response = await application.send(PATH, { fields: RIGHT });
    assert.equal(response.status, 403, JSON.stringify(target));
    assert.equal(response.headers.get("location"), null);
    application.close();
  }
});

Deno.test("signIn: a callback that gives no answer is an error of the application, and lets nobody in", async () => {
  for (const verdict of [undefined, null, 1, {}, new URL(ORIGIN)]) {
    const application = createTestApplication({
      callbacks: { signIn: () => verdict as unknown as boolean },
    });
    await assert.rejects(application.send(PATH, { fields: RIGHT }), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, /signIn callback gave/);
      return true;
    });
    assert.deepEqual(rows(application), [0, 0, 0]);
    application.close();
  }
});
