// Mails about passkeys that were added and removed.
import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { withAutomatic } from "../../tests/automatic_application.ts";
import { type PasskeyMail, passkeyMails } from "./mails.ts";
import { passkey } from "./provider.ts";

// Tracks: R182
Deno.test("passkeyMails() tells the owner of each passkey that is added and removed, and of none twice", async () => {
  const sent: PasskeyMail[] = [];
  const heard: string[] = [];
  await withAutomatic(
    async (world) => {
      const browser = await world.signedIn();
      assert.equal((await browser.register(createSoftwareAuthenticator())).status, 200);
      await world.settle();
      assert.deepEqual(sent.map(({ kind, to }) => [kind, to]), [[
        "passkey-added",
        "ada@example.com",
      ]]);
      const [mail] = sent;
      assert.equal(mail!.subject, "A passkey was added to your account");
      assert.match(mail!.text, /Not you\? Remove the passkey/);
      assert.equal(mail!.url, "https://app.example/");

      const [{ id }] = await (await browser.send("/passkeys")).json();
      const other = world.browser();
      assert.equal((await other.send(`/passkeys/${id}`, { method: "DELETE" })).status, 401);
      assert.equal((await browser.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
      assert.equal((await browser.send(`/passkeys/${id}`, { method: "DELETE" })).status, 404);
      await world.settle();
      assert.deepEqual(sent.map(({ kind }) => kind), ["passkey-added", "passkey-removed"]);
      assert.equal(sent[1]!.subject, "A passkey was removed from your account");

      // Of one that is made by itself automaticPasskeys() tells.
      assert.equal((await world.make(browser)).status, 200);
      await world.settle();
      assert.equal(world.mails.length, 1);
      assert.equal(sent.length, 2);
      assert.deepEqual(heard.filter((type) => type.startsWith("passkey-")), [
        "passkey-added",
        "passkey-removed",
        "passkey-added",
      ]);
    },
    { mails: passkeyMails({ sendMail: (mail) => void sent.push(mail) }) },
    { events: { "*": ({ type }) => void heard.push(type) } },
  );
});

Deno.test("a mail about a passkey that cannot be sent fails nothing", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    assert.equal((await browser.register(createSoftwareAuthenticator())).status, 200);
    await world.settle();
    assert.equal(world.rows("passkeys").length, 1);
  }, {
    mails: passkeyMails({
      sendMail() {
        throw new Error("the mail service is away");
      },
    }),
  });
});

Deno.test("passkeyMails() and passkey({ mails }) say which option is wrong", () => {
  assert.throws(() => passkeyMails({ sendmail() {} } as never), { name: "ConfigurationError" });
  assert.throws(
    () => passkey({ mails: { sendMail() {} } as never }),
    /passkeyMails\(\{ sendMail \}\)/,
  );
});
