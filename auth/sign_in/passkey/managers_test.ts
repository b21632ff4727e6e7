import assert from "node:assert/strict";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { nameManager } from "./managers.ts";

/** Fault that writes an AAGUID behind the hash, the flags and the counter. */
function madeBy(aaguid: string) {
  const bytes = Uint8Array.from(
    aaguid.replaceAll("-", "").match(/../g)!,
    (pair) => parseInt(pair, 16),
  );
  return {
    authenticatorData(data: Uint8Array): Uint8Array {
      data.set(bytes, 37);
      return data;
    },
  };
}

Deno.test("a passkey without a name has that of its password manager, as far as it is known", async () => {
  const application = createPasskeyApplication();
  const desk = createPasskeyBrowser(application);
  await desk.signIn();
  const register = async (aaguid: string, passkeyName?: string) => {
    const answer = await desk.register(createSoftwareAuthenticator(), {
      faults: madeBy(aaguid),
      fields: passkeyName === undefined ? {} : { passkeyName },
    });
    return (await answer.json()).name;
  };
  const bitwarden = "d548826e-79b4-db40-a3d8-11116f7e8349";
  assert.equal(await register(bitwarden), "Bitwarden");
  assert.equal(await register(bitwarden, "Work"), "Work");
  assert.equal(await register("00000000-0000-0000-0000-000000000000"), null);
  assert.equal(await register("12345678-0000-0000-0000-000000000000"), null);
  const stored = await (await desk.send("/passkeys")).json();
  assert.deepEqual(
    stored.map(({ name }: { name: string | null }) => name).sort(),
    ["Bitwarden", "Work", null, null].sort(),
  );
  assert.equal(nameManager("constructor"), null);
  application.close();
});
