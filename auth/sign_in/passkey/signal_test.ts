import assert from "node:assert/strict";
import { disableUser, updateUser } from "../../session/users.ts";
import { ORIGIN, passwordProvider, type TestApplication } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { github } from "../oauth/presets/github.ts";
import { passkey } from "./provider.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";

/** An application in which nobody's passkey is their last way in. */
function createApplication(): TestApplication {
  return createPasskeyApplication({}, {
    providers: [
      passwordProvider(),
      passkey({ rpId: "app.example", origin: ORIGIN }),
      github({ clientId: "id", clientSecret: "secret" }),
    ],
  });
}

function linkElsewhere({ database: { sqlite } }: TestApplication, userId: string): void {
  sqlite.prepare(
    `INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
     VALUES ('github', ?1, ?1, 'oauth', 0, 0)`,
  ).run(userId);
}

async function accepted(desk: PasskeyBrowser) {
  return await (await desk.send("/passkey/accepted")).json();
}

Deno.test("GET /passkey/accepted names the passkeys and the user, as they are now", async () => {
  const application = createApplication();
  const desk = createPasskeyBrowser(application);
  assert.equal((await desk.send("/passkey/accepted")).status, 401);
  await desk.signIn();
  assert.equal(await accepted(desk), null);
  const authenticator = createSoftwareAuthenticator();
  const { id } = await (await desk.register(authenticator)).json();
  const { userHandle } = authenticator.credentials[0]!;
  const named = { rpId: "app.example", userId: userHandle, allAcceptedCredentialIds: [id] };
  assert.deepEqual(await accepted(desk), { ...named, name: "ada", displayName: "ada" });
  const userId = await desk.user();
  await during(application, undefined, () => updateUser(userId!, { name: "Ada Lovelace" }));
  assert.deepEqual(await accepted(desk), {
    ...named,
    name: "Ada Lovelace",
    displayName: "Ada Lovelace",
  });
  application.close();
});

// Tracks: R177
Deno.test("after the last passkey its user handle is named to its user alone, in the browser that removed it", async () => {
  const application = createApplication();
  const desk = createPasskeyBrowser(application);
  const phone = createPasskeyBrowser(application);
  await desk.signIn();
  await phone.signIn();
  linkElsewhere(application, "ada");
  const authenticator = createSoftwareAuthenticator();
  const { id } = await (await desk.register(authenticator)).json();
  const { userHandle } = authenticator.credentials[0]!;
  assert.equal((await desk.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
  const { userId, allAcceptedCredentialIds } = await accepted(desk);
  assert.deepEqual([userId, allAcceptedCredentialIds], [userHandle, []]);
  assert.equal(await accepted(phone), null);
  // With the empty list of another user the manager would delete what is Ada's.
  await desk.signIn("eve");
  assert.equal(await accepted(desk), null);
  await desk.signIn("ada");
  const kept = desk.cookies.get("__Host-framework.passkey-handle")!;
  for (const planted of [`${userHandle}.`, `${userHandle}`, `<b>.${kept.split(".")[1]}`]) {
    desk.cookies.set("__Host-framework.passkey-handle", planted);
    assert.equal(await accepted(desk), null, planted);
  }
  application.close();
});

// Tracks: R177
Deno.test("a passkey is called unknown where there is none, to a script with a challenge of its own browser", async () => {
  const application = createApplication();
  const desk = createPasskeyBrowser(application);
  await desk.signIn();
  linkElsewhere(application, "ada");
  const authenticator = createSoftwareAuthenticator();
  const { id } = await (await desk.register(authenticator)).json();
  const codeOf = async (answer: Response) => [answer.status, (await answer.json()).code];
  const prove = (faults = {}) => desk.prove(authenticator, { faults });
  const wrong = (bytes: Uint8Array) => bytes.map((byte, n) => n === 40 ? byte ^ 1 : byte);
  // A passkey that there is, in an answer that is wrong, is never called unknown.
  assert.deepEqual(await codeOf(await prove({ signature: wrong })), [401, "PASSKEY_REFUSED"]);
  assert.equal((await desk.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
  const answer = await prove();
  const body = await answer.json();
  assert.deepEqual([answer.status, body.code], [401, "PASSKEY_UNKNOWN"]);
  const known = createSoftwareAuthenticator();
  await desk.register(known);
  const other = await (await desk.prove(known, { faults: { signature: wrong } })).json();
  // Nothing but the code differs.
  assert.deepEqual({ ...body, code: other.code }, other);
  // An answer to nobody's challenge, and one that another browser asked for, learn nothing.
  const phone = createPasskeyBrowser(application);
  const asked = await desk.signInOptions();
  const credential = JSON.stringify(await authenticator.get(asked, "https://app.example"));
  const elsewhere = await phone.send("/signin/passkey", { fields: { credential } });
  assert.deepEqual(await codeOf(elsewhere), [400, "PASSKEY_EXPIRED"]);
  // A page of the application has no script that could tell anybody.
  const page = await desk.send("/signin/passkey", {
    fields: { credential },
    headers: { accept: "text/html" },
  });
  assert.equal(page.status, 401);
  assert.match(await page.text(), /does not work here/);
  application.close();
});

// Tracks: R177
Deno.test("a passkey whose row cannot be read is not called unknown, and stays on the list of those that are kept", async () => {
  const application = createApplication();
  const desk = createPasskeyBrowser(application);
  await desk.signIn();
  const [broken, sound] = [createSoftwareAuthenticator(), createSoftwareAuthenticator()];
  const { id } = await (await desk.register(broken)).json();
  const { id: other } = await (await desk.register(sound)).json();
  application.database.sqlite.prepare("UPDATE passkeys SET transports = 'x' WHERE id = ?1").run(id);
  const kept = (await accepted(desk)).allAcceptedCredentialIds;
  assert.deepEqual(kept.toSorted(), [id, other].toSorted());
  const refused = await desk.prove(broken);
  assert.deepEqual([refused.status, (await refused.json()).code], [401, "PASSKEY_REFUSED"]);
  application.close();
});

Deno.test("who is disabled is told of no passkeys", async () => {
  const application = createApplication();
  const desk = createPasskeyBrowser(application);
  await desk.signIn("grace");
  const userId = await desk.user();
  await during(application, undefined, () => disableUser(userId!));
  assert.equal((await desk.send("/passkey/accepted")).status, 401);
  application.close();
});
