import assert from "node:assert/strict";
import { currentRequest } from "../core/request.ts";
import { disableUser, updateUser } from "../session/users.ts";
import type { OutboxMessage } from "../outbox/message.ts";
import { outbox } from "../outbox/outbox.ts";
import { EVENT_TYPES } from "../types/events.ts";
import { auditLog, auditTrail } from "./audit.ts";
import { stopImpersonating } from "./impersonation.ts";
import { withPeople } from "../tests/impersonation_application.ts";

// Tracks: R187, R188
Deno.test("the trail attributes 20 of 20 actions during impersonation to the administrator", () =>
  withPeople(async (application, { support, reader }) => {
    const { within } = application;
    const acting = await application.act(support);
    await within(reader, () => updateUser("reader", { name: "Rea" }));
    await within(acting, () => {
      const { report } = currentRequest("test");
      for (let index = 0; index < 18; index++) {
        report({ type: "email-verified", userId: "reader", provider: `n${index}` });
      }
    });
    await within(acting, stopImpersonating);
    await within(support, async () => {
      const { entries } = await auditLog({ actor: "support", limit: 100 });
      assert.equal(entries.filter(({ userId }) => userId === "reader").length, 20);
      assert.deepEqual(
        (await auditLog({ actor: "reader" })).entries.map(({ type }) => type).filter((type) =>
          type !== "sign-in" && type !== "sign-up"
        ),
        [],
      );
    });
  }, { providers: [auditTrail()] }));

Deno.test("what an outbox delivers has the beginning and the end, and each change beside them once", async () => {
  const delivered: OutboxMessage[] = [];
  const all = outbox({
    destinations: [{
      id: "all",
      events: EVENT_TYPES,
      deliver: (message) => Promise.resolve(void delivered.push(message)),
    }],
  });
  await withPeople(async (application, { support, owner }) => {
    const { within, auth, log } = application;
    const acting = await application.act(support);
    await within(
      acting,
      () => assert.rejects(updateUser("reader", { name: "Mallory" }), { name: "ForbiddenError" }),
    );
    await within(acting, stopImpersonating);
    const again = await application.act(support);
    await application.send("/signout", { cookie: again, fields: {} });
    await within(owner, () => disableUser("reader"));
    assert.deepEqual(log.filter(({ level }) => level === "error"), []);
    const { more } = await auth.deliver({});
    assert.equal(more, false);
    const types = delivered.map(({ type }) => type).filter((type) =>
      !/^sign-(?:in|up)$/.test(type)
    );
    assert.deepEqual(types.sort(), [
      "impersonation-ended",
      "impersonation-ended",
      "impersonation-started",
      "impersonation-started",
      "session-revoked",
      "sign-out",
      "user-disabled",
    ]);
    assert.equal(new Set(delivered.map(({ id }) => id)).size, delivered.length);
  }, { providers: [all, auditTrail()] });
});
