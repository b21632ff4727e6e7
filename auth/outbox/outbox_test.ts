import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createUser, deleteUser, disableUser, enableUser, setUserRoles } from "../session/users.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { deadLetters, sendAgain } from "./dead_letters.ts";
import type { Destination } from "./message.ts";
import { outbox, type OutboxOptions } from "./outbox.ts";
import { type Arrived, destination, NONE, NOW, open } from "../tests/outbox_application.ts";

Deno.test("deliver() brings each event to the destinations that want it, once, in what order ever", async () => {
  const all = destination("all");
  const few = destination("few", { events: ["user-deleted"] });
  using app = open({ destinations: [all.one, few.one] });
  await app.auth.migrate();
  assert.deepEqual(await app.auth.deliver({}), NONE);
  await app.run(async () => {
    await createUser({ id: "ada", email: "ada@example.com", name: "Ada" });
    await setUserRoles("ada", { role: "admin" });
    await disableUser("ada");
    await enableUser("ada");
    await deleteUser("ada");
  });
  assert.deepEqual(await app.auth.deliver(), { ...NONE, delivered: 8 });
  assert.deepEqual(all.arrived.map(({ type }) => type).sort(), [
    "roles-changed",
    "session-revoked",
    "session-revoked",
    "sign-up",
    "user-deleted",
    "user-disabled",
    "user-enabled",
  ]);
  assert.deepEqual(few.arrived.map(({ type }) => type), ["user-deleted"]);
  const [deleted] = few.arrived as [Arrived];
  assert.equal(all.arrived.find(({ type }) => type === "user-deleted")!.id, deleted.id);
  assert.match(deleted.id, /^evt_[0-9a-f]{32}$/);
  assert.deepEqual([deleted.at, deleted.attempt, deleted.data.userId], [NOW, 1, "ada"]);
  // Ids, and no address of any kind.
  for (const { data } of all.arrived) {
    assert.doesNotMatch(JSON.stringify(data), /example\.com|203\.0\.113|Ada/);
  }
  assert.deepEqual(app.rows(), []);
  assert.deepEqual(await app.auth.deliver({}), NONE);
});

Deno.test("with include the address of the client is among the fields", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one], include: ["address"] });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  await app.auth.deliver({});
  assert.equal(all.arrived[0]!.data.address, "203.0.113.7");
});

Deno.test("the storage in memory delivers too, and an application without an outbox says what is missing", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] }, { database: createMemoryStorage() });
  await app.run(() => createUser({ id: "ada" }));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
  const without = createAuth({
    database: createMemoryStorage(),
    providers: [passwords({ sendMail() {} })],
  });
  await assert.rejects(without.deliver({}), { code: "CONFIGURATION", message: /outbox\(\)/ });
  const request = new Request("http://localhost/");
  await without.run(request, {}, {}, async () => {
    for (const operation of [deadLetters, () => sendAgain({ id: "a", destination: "b" })]) {
      await assert.rejects(operation(), { code: "CONFIGURATION" });
    }
    return new Response();
  });
});

Deno.test("wrong options of outbox() say what to write", () => {
  const { one } = destination("crm");
  const wrong: unknown[] = [
    undefined,
    {},
    { destinations: one },
    { destinations: [{ ...one, id: "" }] },
    { destinations: [{ ...one, id: "a b" }] },
    { destinations: [{ ...one, deliver: "https://example.com" }] },
    { destinations: [{ ...one, events: "sign-up" }] },
    { destinations: [{ ...one, events: ["*"] }] },
    { destinations: [{ ...one, events: ["sign-up", undefined] }] },
    { destinations: [one, one] },
    { destinations: [one], include: ["email"] },
    { destinations: [one], keep: 0 },
    { destinations: [one], keep: 4 },
    { destinations: [one], retries: 3 },
  ];
  for (const options of wrong) {
    assert.throws(() => outbox(options as OutboxOptions), { code: "CONFIGURATION" });
  }
  // Else it would never come, and nobody would miss it.
  const misspelled = { ...one, events: ["sign-in", "signup"] } as unknown as Destination;
  assert.throws(() => outbox({ destinations: [misspelled] }), {
    code: "CONFIGURATION",
    field: "destinations[0].events[1]",
    message:
      /^There are no events "signup", in "destinations\[0\]\.events\[1\]"\. Did you mean "sign-up"\? /,
  });
  assert.throws(
    () =>
      createAuth({
        session: { strategy: jwtSessions },
        secret: "x".repeat(32),
        providers: [outbox({ destinations: [one] })],
      }),
    { code: "CONFIGURATION", message: /which outbox\(\) needs/ },
  );
});
