import assert from "node:assert/strict";
import { endSession, startSession } from "../session/operations.ts";
import { endSessions } from "../session/user_sessions.ts";
import { createUser } from "../session/users.ts";
import {
  cookieOf,
  createTestApplication,
  inVisit,
  type TestApplication,
} from "../tests/application.ts";
import { type AuthEvent, EVENT_TYPES } from "./events.ts";

function listen(options: Parameters<typeof createTestApplication>[0] = {}) {
  const heard: AuthEvent[] = [];
  const application = createTestApplication({
    ...options,
    events: { "*": (event) => heard.push(event) },
  });
  return { application, heard };
}

/** Events in short: what, who, how. */
function inShort(heard: AuthEvent[]): unknown[][] {
  return heard.map((event) => {
    const { type, at: _at, requestId: _id, address: _address, account, ...rest } = {
      account: undefined,
      ...event,
    };
    return [type, ...Object.values(rest), ...account === undefined ? [] : ["of an account"]];
  });
}

// Tracks: R152
Deno.test("events: sign-up, sign-in, sign-in-failed, sign-out and origin-refused happen, by endpoint", async () => {
  const { application, heard } = listen();
  const info = { requestId: "r1", clientAddress: "192.0.2.1" };
  const fields = { name: "ada", password: "right" };
  const cookie = cookieOf(await application.send("/signin/credentials", { fields, info }));
  await application.send("/signin/credentials", { fields, info });
  await application.send("/signin/credentials", { fields: { name: "ada" }, info });
  await application.send("/signin/credentials", { fields: { ...fields, password: "no" }, info });
  await application.send("/signout", { fields: {}, cookie, info });
  await application.send("/signout", { fields: {}, cookie, info });
  await application.send("/signout", {
    fields: {},
    headers: { origin: "https://evil.example" },
    info,
  });
  assert.deepEqual(inShort(heard), [
    ["sign-up", "ada", "credentials"],
    ["sign-in", "ada", "credentials"],
    ["sign-in", "ada", "credentials"],
    ["sign-in-failed", "BAD_REQUEST", "credentials", "of an account"],
    ["sign-in-failed", "INVALID_CREDENTIALS", "credentials", "of an account"],
    ["sign-out", "ada"],
    ["origin-refused", "/auth/signout", "https://evil.example"],
  ]);
  for (const { at, requestId, address } of heard) {
    assert.deepEqual([at.getTime(), requestId, address], [
      application.clock.now,
      "r1",
      "192.0.2.1",
    ]);
  }
  application.close();
});

Deno.test("events: what the application does itself is reported too, without a provider", async () => {
  const { application, heard } = listen();
  await inVisit(application, async ({ auth }) => {
    await createUser({ id: "bob" });
    await startSession("bob");
    await endSession();
    await auth.startSession("bob");
    await auth.endSession();
    await auth.endSession();
    return new Response();
  }, { method: "POST" });
  assert.deepEqual(inShort(heard), [
    ["sign-up", "bob"],
    ["sign-in", "bob"],
    ["sign-out", "bob"],
    ["sign-in", "bob"],
    ["sign-out", "bob"],
  ]);
  application.close();
});

// Tracks: R152
Deno.test("events: sessions that end from elsewhere are session-revoked, not sign-out", async () => {
  const { application, heard } = listen();
  const [cookie] = [await application.signIn(), await application.signIn()];
  const list = await (await application.send("/sessions", { cookie })).json();
  const other = list.find(({ current }: { current: boolean }) => !current).id;
  heard.length = 0;
  await application.send(`/sessions/${other}`, { method: "DELETE", cookie });
  await application.send(`/sessions/${other}`, { method: "DELETE", cookie });
  await application.send("/sessions", { method: "DELETE", cookie });
  await inVisit(application, async () => {
    await endSessions("ada");
    return new Response();
  }, { method: "POST" });
  assert.deepEqual(heard.map(({ type }) => type), Array(3).fill("session-revoked"));
  assert.deepEqual(inShort(heard), [
    ["session-revoked", "ada", other],
    ["session-revoked", "ada"],
    ["session-revoked", "ada"],
  ]);
  application.close();
});

// Tracks: R152, K1
Deno.test("events and log lines hold no secret, and nobody can forge a line", async () => {
  const { application, heard } = listen();
  const password = "canary-password";
  const name = 'mallory\n{"level":"info","event":"sign-in"}';
  const cookie = cookieOf(
    await application.send("/signin/credentials", { fields: { name: "ada", password: "right" } }),
  );
  const token = cookie.split("=")[1]!;
  await application.send("/signin/credentials", { fields: { name, password }, cookie });
  await application.send(`/signout?canary-query=${token}`, {
    fields: {},
    cookie,
    headers: { origin: "https://evil.example", authorization: "Bearer canary-bearer" },
  });
  await application.send("/signout", { fields: { callbackUrl: "/?canary-callback" }, cookie });
  const written = [...heard, ...application.log].map((line) => JSON.stringify(line));
  assert.ok(written.length >= 8);
  for (const line of written) {
    assert.equal(/canary|mallory|\n/.test(line), false, line);
    assert.equal(line.includes(token), false, line);
  }
  application.close();
});

function stubborn(): Pick<TestApplication, "close"> & { send: TestApplication["send"] } {
  return createTestApplication({
    events: {
      "*": () => {
        throw new Error("a defect");
      },
      "sign-in": () => new Promise(() => {}),
      "sign-out": () => Promise.reject(new Error("a defect")),
    },
  });
}

// Tracks: K2
Deno.test("events: a listener that throws, rejects or hangs changes no response", async () => {
  const application = stubborn();
  const response = await application.send("/signin/credentials", {
    fields: { name: "ada", password: "right" },
  });
  assert.equal(response.status, 303);
  const cookie = cookieOf(response);
  assert.equal((await application.send("/signout", { fields: {}, cookie })).status, 303);
  assert.equal(await (await application.send("/session", { cookie })).json(), null);
  application.close();
});

Deno.test("EVENT_TYPES has every type of event", () => {
  // The compiler asks for each.
  const all: Record<AuthEvent["type"], true> = {
    "sign-in": true,
    "sign-in-failed": true,
    "sign-up": true,
    "sign-out": true,
    "session-revoked": true,
    "email-verified": true,
    "email-changed": true,
    "account-linked": true,
    "account-unlinked": true,
    "passkey-added": true,
    "passkey-removed": true,
    "replay-detected": true,
    "rate-limited": true,
    "password-changed": true,
    "password-unchecked": true,
    "second-factor-added": true,
    "second-factor-removed": true,
    "second-factor-closed": true,
    "second-factor-recovery-requested": true,
    "second-factor-recovery-cancelled": true,
    "device-proof-refused": true,
    "api-key-added": true,
    "api-key-rotated": true,
    "api-key-removed": true,
    "user-disabled": true,
    "user-enabled": true,
    "user-deleted": true,
    "roles-changed": true,
    "user-administered": true,
    "impersonation-started": true,
    "impersonation-ended": true,
    "audit-sealed": true,
    "recovery-code-used": true,
    "member-invited": true,
    "member-added": true,
    "member-removed": true,
    "member-roles-changed": true,
    "origin-refused": true,
  };
  assert.deepEqual(EVENT_TYPES.toSorted(), Object.keys(all).toSorted());
});
