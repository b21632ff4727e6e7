import assert from "node:assert/strict";
import { createTestApplication } from "../tests/application.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";

const JSON_HEADERS = { accept: "application/json" };

// Tracks: R040, R042
Deno.test("GET /sessions lists the visitor's own, without anything that opens one", async () => {
  const application = createTestApplication();
  const first = await application.signIn();
  await application.signIn();
  await application.signIn("eve");
  const response = await application.send("/sessions", { cookie: first });
  assert.equal(response.headers.get("cache-control"), "no-store");
  const sessions = await response.json();
  assert.equal(sessions.length, 2);
  assert.equal(sessions.filter((one: { current: boolean }) => one.current).length, 1);
  for (const one of sessions) {
    assert.deepEqual(Object.keys(one).sort(), [
      "createdAt",
      "current",
      "expires",
      "id",
      "refreshedAt",
      "userAgent",
    ]);
  }
  application.close();
});

Deno.test("the endpoints of sessions are 401 for who is signed out", async () => {
  const application = createTestApplication();
  await application.signIn();
  for (const [method, path] of [["GET", ""], ["DELETE", ""], ["DELETE", "/x"]] as const) {
    const response = await application.send(`/sessions${path}`, { method, headers: JSON_HEADERS });
    assert.equal(response.status, 401, `${method} ${path}`);
    assert.equal((await response.json()).code, "UNAUTHENTICATED");
  }
  const row = application.database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get();
  assert.equal(row!.n, 1);
  application.close();
});

// Tracks: R040, GHSA-4vcf-q4xf-f48m, K7
Deno.test("DELETE /sessions/<id> ends one of the visitor's own and is 404 for any other", async () => {
  const application = createTestApplication();
  const [here, there] = [await application.signIn(), await application.signIn()];
  const eve = await application.signIn("eve");
  const sessions = await (await application.send("/sessions", { cookie: here })).json();
  const other = sessions.find((one: { current: boolean }) => !one.current).id;
  const own = sessions.find((one: { current: boolean }) => one.current).id;
  for (const id of [other, own, "nothing", "*", "%2e", "__proto__", "a".repeat(5000)]) {
    const response = await application.send(`/sessions/${id}`, {
      method: "DELETE",
      cookie: eve,
      headers: JSON_HEADERS,
    });
    assert.equal(response.status, 404, id);
  }
  const ended = await application.send(`/sessions/${other}`, { method: "DELETE", cookie: here });
  assert.equal(ended.status, 204);
  assert.equal(ended.headers.get("cache-control"), "no-store");
  assert.deepEqual(ended.headers.getSetCookie(), []);
  assert.equal(await (await application.send("/session", { cookie: there })).json(), null);
  const current = await application.send(`/sessions/${own}`, { method: "DELETE", cookie: here });
  assert.equal(current.status, 204);
  assert.match(current.headers.getSetCookie()[0]!, /Max-Age=0/);
  assert.equal(await (await application.send("/session", { cookie: here })).json(), null);
  assert.notEqual(await (await application.send("/session", { cookie: eve })).json(), null);
  application.close();
});

// Tracks: R040, PF-w14
Deno.test("DELETE /sessions ends all others of the visitor's own", async () => {
  const application = createTestApplication();
  const [here, there] = [await application.signIn(), await application.signIn()];
  const eve = await application.signIn("eve");
  const response = await application.send("/sessions", { method: "DELETE", cookie: here });
  assert.equal(response.status, 204);
  assert.equal(await (await application.send("/session", { cookie: there })).json(), null);
  for (const cookie of [here, eve]) {
    assert.notEqual(await (await application.send("/session", { cookie })).json(), null);
  }
  application.close();
});

// Tracks: R071
Deno.test("DELETE /sessions from another site is refused and ends nothing", async () => {
  const application = createTestApplication();
  const [here, there] = [await application.signIn(), await application.signIn()];
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  for (const path of ["/sessions", "/sessions/x"]) {
    const response = await application.send(path, { method: "DELETE", cookie: here, headers });
    assert.equal(response.status, 403);
  }
  assert.notEqual(await (await application.send("/session", { cookie: there })).json(), null);
  application.close();
});

Deno.test("the endpoints of sessions do not exist with session strategy 'jwt'", async () => {
  const application = createTestApplication({
    session: { strategy: jwtSessions },
    secret: "0123456789abcdef0123456789abcdef",
  });
  const cookie = await application.signIn();
  assert.notEqual(await (await application.send("/session", { cookie })).json(), null);
  assert.equal((await application.send("/sessions", { cookie })).status, 404);
  assert.equal((await application.send("/sessions/x", { method: "DELETE", cookie })).status, 404);
  application.close();
});

Deno.test("DELETE /sessions/<id> is the event of a session that was revoked, or of a sign-out", async () => {
  const heard: unknown[] = [];
  const application = createTestApplication({
    events: {
      "session-revoked": ({ userId, sessionId }) => void heard.push(["revoked", userId, sessionId]),
      "sign-out": ({ userId }) => void heard.push(["out", userId]),
    },
  });
  const cookie = await application.signIn();
  await application.signIn();
  const sessions = await (await application.send("/sessions", { cookie })).json();
  const [own, other] = [true, false].map((current) =>
    sessions.find((one: { current: boolean }) => one.current === current).id
  );
  for (const id of [other, other, own]) {
    await application.send(`/sessions/${id}`, { method: "DELETE", cookie });
  }
  assert.deepEqual(heard, [["revoked", "ada", other], ["out", "ada"]]);
  application.close();
});
